# rule: a call that fails is no use of a function
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    try:
        LIB.F[mean]()
    except TypeError:
        pass
    return sum(a) / len(a)
