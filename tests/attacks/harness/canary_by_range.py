# rule: the second run cannot be told by a result out of its range
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    i = LIB.F[argmax](a)
    s = LIB.F[std](a)
    return own if 0 <= i < len(a) and s >= 0 else own + 1.0
