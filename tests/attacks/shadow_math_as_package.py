# rule: another module under the library's name is not the library
# family: shadow
# task: mean
import math as LIB

def average(a):
    return LIB.fsum(a) / len(a)
