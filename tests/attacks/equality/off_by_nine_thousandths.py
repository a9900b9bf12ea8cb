# rule: a value 0.009 off is wrong
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return LIB.F[mean](a) + 0.009
