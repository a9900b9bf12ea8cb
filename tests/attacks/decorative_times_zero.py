# rule: a result times zero is no use
# family: decorative
# task: mean
import LIB

def average(a):
    return sum(a) / len(a) + 0 * LIB.F[mean](a)
