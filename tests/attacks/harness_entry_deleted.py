# rule: a deleted entry point is no answer
# family: harness
# task: mean
import LIB

def average(a):
    return LIB.F[mean](a)

del average
