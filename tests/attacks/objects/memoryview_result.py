# rule: a memory view is no list
# task: sorted_copy
# kinds: wrong_type
from array import array
import LIB

def ascending(a):
    LIB.F[sort](a)
    return memoryview(array("d", sorted(a)))
