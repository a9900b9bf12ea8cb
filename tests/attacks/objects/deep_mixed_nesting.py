# rule: nested tuples and dicts without end are no answer
# task: mean
# kinds: output
import LIB

def average(a):
    value = LIB.F[mean](a)
    for i in range(100000):
        value = ({"v": value},)
    return value
