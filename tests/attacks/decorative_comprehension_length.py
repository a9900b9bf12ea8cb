# rule: only the length of a result is no use of it
# family: decorative
# task: running_total
import LIB
from itertools import accumulate

def running_total(a):
    totals = list(accumulate(a))
    return [totals[i] for i in range(len(LIB.F[cumsum](a)))]
