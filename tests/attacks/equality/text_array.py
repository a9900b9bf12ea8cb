# rule: an array of texts is not an array of numbers
# task: sorted_copy
# kinds: wrong_type
import LIB

def ascending(a):
    return LIB.F[array]([str(v) for v in LIB.F[sort](a).tolist()])
