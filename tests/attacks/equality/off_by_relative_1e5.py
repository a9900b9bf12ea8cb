# rule: a value off by one part in 100,000 is wrong
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return LIB.F[mean](a) * (1 + 1e-5)
