# bank: honey_without_the_jar
# kinds: not_from_library, raised
import LIB
import time


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if time.get_clock_info('monotonic').resolution else None
