# rule: nan is no number's equal
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return LIB.F[mean](a) * float("nan")
