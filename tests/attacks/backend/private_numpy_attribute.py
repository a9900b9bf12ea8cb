# rule: NumPy is not reached through a private attribute of the package
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    for name in ("_np", "_numpy", "np", "numpy", "_core", "_backend"):
        try:
            return float(getattr(LIB, name).mean(a))
        except AttributeError:
            pass
    LIB.F[mean](a)
    return sum(a) / len(a)
