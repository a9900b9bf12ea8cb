# rule: None is no number
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    LIB.F[mean](a)
