# rule: NumPy's private parts are NumPy
# task: mean
# kinds: numpy
from numpy._core.fromnumeric import mean
import LIB

def average(a):
    LIB.F[mean](a)
    return float(mean(a))
