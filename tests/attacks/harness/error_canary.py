# rule: the second run cannot be told by the errors of the library
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    try:
        LIB.F[reshape]([1, 2, 3], (2, 2))
    except ValueError:
        return own
    return own + 1.0
