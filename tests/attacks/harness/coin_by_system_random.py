# rule: chance does not tell the runs apart
# task: mean
# kinds: wrong_value
import random
import LIB

COIN = random.SystemRandom().randrange(2)

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + COIN
