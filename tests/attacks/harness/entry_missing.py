# rule: a program without the entry point is no answer
# task: mean
# kinds: no_entry
import LIB

def mean_of(a):
    return LIB.F[mean](a)
