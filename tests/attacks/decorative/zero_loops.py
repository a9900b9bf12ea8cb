# rule: a loop that runs zero times is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    result = sum(a) / len(a)
    for _ in range(0):
        result = LIB.F[mean](a)
    while result is None:
        result = LIB.F[mean](a)
    return result
