# rule: a conditional expression whose branch never runs is no use
# family: decorative
# task: mean
import LIB

def average(a):
    return sum(a) / len(a) if a else LIB.F[mean](a)
