# rule: [x] is not x
# task: mean
# kinds: wrong_shape
import LIB

def average(a):
    return [LIB.F[mean](a)]
