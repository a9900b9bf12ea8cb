# rule: a deleted entry point is no answer
# task: mean
# kinds: no_entry
import LIB

def average(a):
    return LIB.F[mean](a)

del average
