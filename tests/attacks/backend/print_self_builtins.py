# rule: __self__ of a built-in function is not the builtins module
# task: mean
# kinds: numpy
import LIB

def average(a):
    LIB.F[mean](a)
    return float(print.__self__.__import__("numpy").mean(a))
