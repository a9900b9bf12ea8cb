# rule: (n, 1) is not (n,)
# task: sorted_copy
# kinds: wrong_shape
import LIB

def ascending(a):
    return LIB.F[reshape](LIB.F[sort](a), (-1, 1))
