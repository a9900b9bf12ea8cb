# rule: a result that is only printed is no use
# task: summary
# kinds: not_from_library
import LIB

def summary(a):
    print("library says", LIB.F[mean](a), LIB.F[std](a))
    m = sum(a) / len(a)
    return {"mean": m, "spread": (sum((x - m) ** 2 for x in a) / len(a)) ** 0.5}
