# rule: a lambda that is never called is no use
# family: decorative
# task: mean
import LIB

def average(a):
    later = lambda: LIB.F[mean](a)
    return sum(a) / len(a)
