# rule: a call in a branch that no case reaches is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    if len(a) > 10**6:
        return LIB.F[mean](a)
    return sum(a) / len(a)
