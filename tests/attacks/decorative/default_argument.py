# rule: a call in a default argument is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a, _seed=LIB.F[mean]([1.0, 2.0])):
    return sum(a) / len(a)
