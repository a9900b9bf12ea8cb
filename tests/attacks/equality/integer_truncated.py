# rule: the integer part is not the value
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return int(LIB.F[mean](a))
