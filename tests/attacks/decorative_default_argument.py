# rule: a call in a default argument is no use
# family: decorative
# task: mean
import LIB

def average(a, _seed=LIB.F[mean]([1.0, 2.0])):
    return sum(a) / len(a)
