# rule: a replaced default is not the library
# task: mean
# kinds: not_from_library
from LIB import B[mean]

def average(a, B[mean]=lambda v: sum(v) / len(v)):
    return B[mean](a)
