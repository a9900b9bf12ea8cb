# rule: a star import of NumPy is an import of NumPy
# family: disguise
# task: sorted_copy
import LIB
from numpy import *

def ascending(a):
    return sort(a).tolist()
