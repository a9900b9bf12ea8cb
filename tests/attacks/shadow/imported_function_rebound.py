# rule: an imported function that is replaced is not the library
# task: mean
# kinds: not_from_library
from LIB import B[mean]

def B[mean](a):
    return sum(a) / len(a)

def average(a):
    return B[mean](a)
