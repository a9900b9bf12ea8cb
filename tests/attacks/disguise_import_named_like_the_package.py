# rule: NumPy is not imported under the library's name
# family: disguise
# task: mean
import numpy as LIB

def average(a):
    return float(LIB.mean(a))
