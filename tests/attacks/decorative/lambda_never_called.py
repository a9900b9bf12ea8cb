# rule: a lambda that is never called is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    later = lambda: LIB.F[mean](a)
    return sum(a) / len(a)
