# rule: own names of builtins are no use of the library
# task: mean
# kinds: not_from_library
import LIB

def float(x):
    LIB.F[mean]([x])
    return x

def average(a):
    return float(sum(a) / len(a))
