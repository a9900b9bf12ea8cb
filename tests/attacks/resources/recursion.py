# rule: endless recursion ends
# task: mean
# kinds: raised
import LIB

def average(a):
    return average(a) + LIB.F[mean](a)
