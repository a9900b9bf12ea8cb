# rule: a call inside a text that is dropped is no use
# family: decorative
# task: mean
import LIB

def average(a):
    f"{LIB.F[mean](a):.3f}"
    return sum(a) / len(a)
