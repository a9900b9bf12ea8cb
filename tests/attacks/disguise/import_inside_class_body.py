# rule: NumPy is not imported in a class body
# task: mean
# kinds: numpy
import LIB

class Tools:
    from numpy import mean

def average(a):
    LIB.F[mean](a)
    return float(Tools.mean(a))
