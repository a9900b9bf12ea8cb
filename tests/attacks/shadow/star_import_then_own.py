# rule: an own function after a star import is not the library
# task: sorted_copy
# kinds: not_from_library
from LIB import *

def B[sort](values):
    return sorted(values)

def ascending(a):
    return B[sort](a)
