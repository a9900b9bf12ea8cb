# rule: a result that is overwritten is no use
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    result = LIB.F[sort](a)
    result = sorted(a)
    return result
