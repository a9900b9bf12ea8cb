# rule: NumPy is not imported under the library's name
# task: mean
# kinds: numpy
import numpy as LIB

def average(a):
    return float(LIB.mean(a))
