# rule: a tuple is not a list
# task: sorted_copy
# kinds: wrong_type
import LIB

def ascending(a):
    return tuple(LIB.F[sort](a).tolist())
