# rule: a small object that unfolds into a huge one is no answer
# task: mean
# kinds: output
import LIB

def average(a):
    value = [LIB.F[mean](a)]
    for _ in range(60):
        value = [value, value]
    return value
