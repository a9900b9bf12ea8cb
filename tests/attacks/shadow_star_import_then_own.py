# rule: an own function after a star import is not the library
# family: shadow
# task: sorted_copy
from LIB import *

def B[sort](values):
    return sorted(values)

def ascending(a):
    return B[sort](a)
