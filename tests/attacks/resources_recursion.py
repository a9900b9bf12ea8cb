# rule: endless recursion ends
# family: resources
# task: mean
import LIB

def average(a):
    return average(a) + LIB.F[mean](a)
