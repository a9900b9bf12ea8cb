# rule: a star import of NumPy is an import of NumPy
# task: sorted_copy
# kinds: numpy
import LIB
from numpy import *

def ascending(a):
    return sort(a).tolist()
