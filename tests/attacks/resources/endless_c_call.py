# rule: one long call in C ends
# task: mean
# kinds: time
import LIB

def average(a):
    LIB.F[mean](a)
    return sum(range(10**13))
