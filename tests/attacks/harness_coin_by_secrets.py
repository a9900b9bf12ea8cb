# rule: chance does not tell the runs apart
# family: harness
# task: mean
from secrets import randbelow
import LIB

COIN = randbelow(2)

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + COIN
