# rule: the order of a list counts
# task: sorted_copy
# kinds: wrong_value
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist()[::-1]
