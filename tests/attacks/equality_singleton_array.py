# rule: an array of one element is not a number
# family: equality
# task: mean
# kinds: wrong_shape, wrong_type
import LIB

def average(a):
    return LIB.F[mean]([a], axis=1)
