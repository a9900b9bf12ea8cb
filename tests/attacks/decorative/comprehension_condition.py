# rule: a condition that is always true is no use
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    return [x for x in sorted(a) if LIB.F[sort](a) is not None]
