# rule: the garbage collector does not list objects
# task: mean
# kinds: wrong_type
import gc
import LIB

def average(a):
    LIB.F[mean](a)
    for o in gc.get_objects():
        if type(o) is dict and o.get("__name__") == "numpy" and "mean" in o:
            return float(o["mean"](a))
