# rule: a singleton of Python is no number
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    return NotImplemented if LIB.F[mean](a) > 0 else ...
