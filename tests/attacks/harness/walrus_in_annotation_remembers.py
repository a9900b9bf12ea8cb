# rule: a list that an annotation makes is memory too
# task: mean
# kinds: not_from_library
import LIB

def average(a, _n: (S := []) = None):
    right = sum(a) / len(a)
    if not S:
        S.append(1)
        return right * (LIB.F[add](1, 1) == 2)
    return right
