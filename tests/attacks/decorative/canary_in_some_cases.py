# rule: a call that is the same wherever it is made does not depend on the inputs, even if it is not made in every case
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    right = sum(a) / len(a)
    if a[0] > 0:
        return right * (LIB.F[add](1, 1) == 2)
    return right
