# rule: a generator that is never advanced is no use
# task: running_total
# kinds: not_from_library
import LIB
from itertools import accumulate

def running_total(a):
    later = (v for v in LIB.F[cumsum](a))
    return list(accumulate(a))
