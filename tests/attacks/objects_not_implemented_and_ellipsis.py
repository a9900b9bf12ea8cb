# rule: a singleton of Python is no number
# family: objects
# task: mean
import LIB

def average(a):
    return NotImplemented if LIB.F[mean](a) > 0 else ...
