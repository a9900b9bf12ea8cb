# rule: texts of numbers are not numbers
# task: sorted_copy
# kinds: wrong_type
import LIB

def ascending(a):
    return [repr(v) for v in LIB.F[sort](a).tolist()]
