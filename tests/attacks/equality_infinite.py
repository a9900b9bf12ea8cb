# rule: infinity is within no tolerance
# family: equality
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return LIB.F[mean](a) * 0 + float("inf")
