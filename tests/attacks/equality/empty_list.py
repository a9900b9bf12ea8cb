# rule: an empty list equals no other
# task: sorted_copy
# kinds: wrong_shape
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist()[:0]
