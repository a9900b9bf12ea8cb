# rule: the second run cannot be told by the look of a function
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    f = LIB.F[mean]
    f(a)
    genuine = f.__name__ == "B[mean]" and repr(f).startswith("<function B[mean] at") and type(f) is type(average)
    return own if genuine else own + 1.0
