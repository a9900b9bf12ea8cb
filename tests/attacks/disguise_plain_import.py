# rule: NumPy is not imported
# family: disguise
# task: mean
import numpy as np
import LIB

def average(a):
    LIB.F[mean](a)
    return float(np.mean(a))
