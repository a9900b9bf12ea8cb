# rule: a replaced default is not the library
# family: shadow
# task: mean
from LIB import B[mean]

def average(a, B[mean]=lambda v: sum(v) / len(v)):
    return B[mean](a)
