# rule: the dropped part of a tuple is no use
# family: decorative
# task: mean
import LIB

def average(a):
    _, result = LIB.F[mean](a), sum(a) / len(a)
    return result
