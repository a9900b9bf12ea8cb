# rule: a value rounded to two digits is wrong
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return round(LIB.F[mean](a), 2)
