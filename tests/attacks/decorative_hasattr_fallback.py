# rule: a fallback for a missing function is no use
# family: decorative
# task: mean
import LIB

def average(a):
    if hasattr(LIB, "mean"):
        return LIB.mean(a)
    return sum(a) / len(a)
