# rule: a module object makes no import by attribute
# task: mean
# kinds: misread_result
import LIB

def average(a):
    LIB.F[mean](a)
    loader = type(LIB)
    made = loader("numpy")
    spec = getattr(LIB, "__sp" + "ec__")
    made = getattr(getattr(spec, "loader"), "load_" + "module")
    return sum(a) / len(a)
