# rule: None is no number
# family: equality
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    LIB.F[mean](a)
