# rule: an array of the standard library is no forged array
# task: sorted_copy
# kinds: wrong_type
from array import array
import LIB

def ascending(a):
    LIB.F[sort](a)
    return array("d", sorted(a))
