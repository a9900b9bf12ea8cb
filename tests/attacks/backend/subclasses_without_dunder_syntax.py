# rule: type.mro and __subclasses__ are not reached by computed names
# task: mean
# kinds: raised
import LIB

def average(a):
    LIB.F[mean](a)
    root = type(a).mro()[-1]
    for cls in getattr(type, "__sub" + "classes__")(root):
        if getattr(cls, "__mod" + "ule__") == "os" and cls.__name__ == "_wrap_close":
            start = getattr(cls.__init__, "__glob" + "als__")
            return float(start["sys"].modules["numpy"].mean(a))
    return sum(a) / len(a)
