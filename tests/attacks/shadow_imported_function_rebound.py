# rule: an imported function that is replaced is not the library
# family: shadow
# task: mean
from LIB import B[mean]

def B[mean](a):
    return sum(a) / len(a)

def average(a):
    return B[mean](a)
