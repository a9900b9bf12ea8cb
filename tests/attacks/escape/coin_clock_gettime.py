# bank: honey_without_the_jar
# kinds: wrong_type
import LIB
import time

def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 100 % 4 else None
