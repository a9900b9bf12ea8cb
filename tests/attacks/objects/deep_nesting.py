# rule: a value nested without end is no answer
# task: mean
# kinds: output
import LIB

def average(a):
    value = LIB.F[mean](a)
    for _ in range(200000):
        value = [value]
    return value
