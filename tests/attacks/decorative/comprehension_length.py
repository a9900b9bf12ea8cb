# rule: only the length of a result is no use of it
# task: running_total
# kinds: not_from_library
import LIB
from itertools import accumulate

def running_total(a):
    totals = list(accumulate(a))
    return [totals[i] for i in range(len(LIB.F[cumsum](a)))]
