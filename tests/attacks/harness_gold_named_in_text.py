# rule: a text about the answer is no answer
# family: harness
# task: mean
import LIB

def average(a):
    return f"The mean is {LIB.F[mean](a)}"
