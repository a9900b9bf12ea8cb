# rule: an array of the standard library is no forged array
# family: objects
# task: sorted_copy
from array import array
import LIB

def ascending(a):
    LIB.F[sort](a)
    return array("d", sorted(a))
