# rule: a call inside a text that is dropped is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    f"{LIB.F[mean](a):.3f}"
    return sum(a) / len(a)
