# rule: a map object is not a list
# task: sorted_copy
# kinds: wrong_type
import LIB

def ascending(a):
    return map(float, LIB.F[sort](a))
