# rule: a module is no number
# family: objects
# task: mean
import LIB

def average(a):
    LIB.F[mean](a)
    return LIB
