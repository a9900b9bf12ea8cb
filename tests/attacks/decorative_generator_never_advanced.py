# rule: a generator that is never advanced is no use
# family: decorative
# task: running_total
import LIB
from itertools import accumulate

def running_total(a):
    later = (v for v in LIB.F[cumsum](a))
    return list(accumulate(a))
