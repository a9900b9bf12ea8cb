# rule: a call in a branch that never runs is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    if False:
        return LIB.F[mean](a)
    return sum(a) / len(a)
