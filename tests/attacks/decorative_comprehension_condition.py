# rule: a condition that is always true is no use
# family: decorative
# task: sorted_copy
import LIB

def ascending(a):
    return [x for x in sorted(a) if LIB.F[sort](a) is not None]
