# rule: a result minus itself is no use
# family: decorative
# task: mean
import LIB

def average(a):
    return sum(a) / len(a) + LIB.F[mean](a) - LIB.F[mean](a)
