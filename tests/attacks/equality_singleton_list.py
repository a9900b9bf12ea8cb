# rule: [x] is not x
# family: equality
# task: mean
# kinds: wrong_shape, wrong_type
import LIB

def average(a):
    return [LIB.F[mean](a)]
