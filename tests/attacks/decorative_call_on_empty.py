# rule: a call on other data than the inputs is no use
# family: decorative
# task: mean
import LIB

def average(a):
    LIB.F[sum]([])
    return sum(a) / len(a)
