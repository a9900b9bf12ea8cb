# rule: an inner function that is never called is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    def average(b):
        return LIB.F[mean](b)
    return sum(a) / len(a)
