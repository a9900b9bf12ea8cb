# rule: a function is no number
# family: objects
# task: mean
import LIB

def average(a):
    return LIB.F[mean]
