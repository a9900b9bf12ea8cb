# rule: array construction plus operators is no use of a function
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    x = LIB.F[array](a)
    weights = LIB.F[array]([1.0 / len(a)] * len(a))
    return float(x @ weights)
