# rule: importlib is not used
# task: mean
# kinds: policy
import importlib
import LIB

def average(a):
    LIB.F[mean](a)
    return float(importlib.import_module("num" + "py").mean(a))
