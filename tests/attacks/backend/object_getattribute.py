# rule: object.__getattribute__ does not read forbidden attributes
# task: mean
# kinds: numpy
import LIB

def average(a):
    b = object.__getattribute__(LIB.F[mean], "__globals__")["__builtins__"]
    load = b["__import__"] if isinstance(b, dict) else b.__import__
    return float(load("numpy").mean(a))
