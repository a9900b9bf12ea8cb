# rule: an array of one element is not a number
# task: mean
# kinds: wrong_shape
import LIB

def average(a):
    return LIB.F[mean]([a], axis=1)
