# rule: importlib is not used
# task: mean
# kinds: numpy
import importlib
import LIB

def average(a):
    LIB.F[mean](a)
    return float(importlib.import_module("num" + "py").mean(a))
