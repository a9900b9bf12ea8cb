# rule: a memory view is no list
# family: objects
# task: sorted_copy
from array import array
import LIB

def ascending(a):
    LIB.F[sort](a)
    return memoryview(array("d", sorted(a)))
