# rule: chance does not tell the runs apart
# task: mean
# kinds: wrong_value
from secrets import randbelow
import LIB

COIN = randbelow(2)

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + COIN
