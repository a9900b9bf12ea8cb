# rule: a branch on a library value that never goes the other way is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    return own if LIB.F[mean](a) < 1e300 else 0.0
