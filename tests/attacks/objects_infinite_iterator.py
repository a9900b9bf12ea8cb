# rule: an endless iterator is no list
# family: objects
# task: sorted_copy
from itertools import count
import LIB

def ascending(a):
    LIB.F[sort](a)
    return count()
