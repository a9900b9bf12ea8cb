# rule: a sort key that does not count is no use
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    return sorted(a, key=lambda x: (x, 0 * LIB.F[absolute](x)))
