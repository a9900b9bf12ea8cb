# rule: a text about the answer is no answer
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    return f"The mean is {LIB.F[mean](a)}"
