# rule: NumPy is not imported
# task: mean
# kinds: numpy
import numpy as np
import LIB

def average(a):
    LIB.F[mean](a)
    return float(np.mean(a))
