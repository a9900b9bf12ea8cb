# rule: an endless iterator is no list
# task: sorted_copy
# kinds: wrong_type
from itertools import count
import LIB

def ascending(a):
    LIB.F[sort](a)
    return count()
