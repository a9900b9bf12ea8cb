# rule: a call in an annotation is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a: LIB.F[mean]([0.0])) -> type(LIB.F[mean]([1.0])):
    total: LIB.F[sum]([1]) = sum(a)
    return total / len(a)
