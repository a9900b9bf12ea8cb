# rule: a value replaced in a dict is no use
# task: summary
# kinds: not_from_library
import LIB

def summary(a):
    out = {"mean": LIB.F[mean](a), "spread": LIB.F[std](a)}
    m = sum(a) / len(a)
    out.update(mean=m, spread=(sum((x - m) ** 2 for x in a) / len(a)) ** 0.5)
    return out
