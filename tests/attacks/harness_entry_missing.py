# rule: a program without the entry point is no answer
# family: harness
# task: mean
import LIB

def mean_of(a):
    return LIB.F[mean](a)
