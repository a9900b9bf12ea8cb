# rule: a function is no number
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    return LIB.F[mean]
