# rule: a fallback for a missing function is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    if hasattr(LIB, "mean"):
        return LIB.mean(a)
    return sum(a) / len(a)
