# rule: an inner function that is never called is no use
# family: decorative
# task: mean
import LIB

def average(a):
    def average(b):
        return LIB.F[mean](b)
    return sum(a) / len(a)
