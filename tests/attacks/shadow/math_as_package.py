# rule: another module under the library's name is not the library
# task: mean
# kinds: not_from_library
import math as LIB

def average(a):
    return LIB.fsum(a) / len(a)
