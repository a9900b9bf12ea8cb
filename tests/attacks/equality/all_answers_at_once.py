# rule: a list of candidates is no answer
# task: mean
# kinds: wrong_shape
import LIB

def average(a):
    return [LIB.F[mean](a), LIB.F[median](a), LIB.F[sum](a)]
