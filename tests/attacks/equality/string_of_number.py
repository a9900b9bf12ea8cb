# rule: text of a number is not the number
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    return str(LIB.F[mean](a))
