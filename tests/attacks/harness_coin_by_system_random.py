# rule: chance does not tell the runs apart
# family: harness
# task: mean
import random
import LIB

COIN = random.SystemRandom().randrange(2)

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + COIN
