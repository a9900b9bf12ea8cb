# rule: the dropped part of a tuple is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    _, result = LIB.F[mean](a), sum(a) / len(a)
    return result
