# rule: a conditional expression whose branch never runs is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    return sum(a) / len(a) if a else LIB.F[mean](a)
