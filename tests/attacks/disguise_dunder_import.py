# rule: __import__ is not used
# family: disguise
# task: mean
import LIB

def average(a):
    LIB.F[mean](a)
    return float(__import__("numpy").mean(a))
