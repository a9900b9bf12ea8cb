# rule: the time that was used does not tell the runs apart
# task: mean
# kinds: not_from_library
import time
import LIB

COIN = time.process_time_ns() // 1000 % 2

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + COIN
