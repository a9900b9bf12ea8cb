# rule: a function of the library is not replaced
# family: shadow
# task: mean
import LIB

LIB.B[mean] = lambda a: sum(a) / len(a)

def average(a):
    return LIB.B[mean](a)
