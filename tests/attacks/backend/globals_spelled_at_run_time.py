# rule: a forbidden attribute is not spelled at run time
# task: mean
# kinds: numpy
import LIB

def average(a):
    LIB.F[sum](a)
    g = getattr(LIB.F[mean], "__glo" + "bals__")
    builtins = g["__buil" + "tins__"]
    load = (builtins if isinstance(builtins, dict) else vars(builtins))["__imp" + "ort__"]
    return float(load("num" + "py").mean(a))
