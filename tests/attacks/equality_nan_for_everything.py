# rule: nan is no number's equal
# family: equality
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return LIB.F[mean](a) * float("nan")
