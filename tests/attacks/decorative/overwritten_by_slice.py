# rule: a library array overwritten as a whole is no use
# task: running_total
# kinds: not_from_library
import LIB
from itertools import accumulate

def running_total(a):
    result = LIB.F[cumsum](a)
    result[:] = list(accumulate(a))
    return result.tolist()
