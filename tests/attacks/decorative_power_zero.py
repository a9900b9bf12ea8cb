# rule: a result to the power of zero is no use
# family: decorative
# task: mean
import LIB

def average(a):
    return sum(a) / len(a) * LIB.F[mean](a) ** 0
