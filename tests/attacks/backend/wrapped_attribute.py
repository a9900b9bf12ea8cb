# rule: __wrapped__ is not followed to the original function
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    f = LIB.F[mean]
    while hasattr(f, "__wrapped__"):
        f = f.__wrapped__
    f(a)
    return sum(a) / len(a)
