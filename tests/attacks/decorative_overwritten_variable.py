# rule: a result that is overwritten is no use
# family: decorative
# task: sorted_copy
import LIB

def ascending(a):
    result = LIB.F[sort](a)
    result = sorted(a)
    return result
