# rule: own names of builtins are no use of the library
# family: shadow
# task: mean
import LIB

def float(x):
    LIB.F[mean]([x])
    return x

def average(a):
    return float(sum(a) / len(a))
