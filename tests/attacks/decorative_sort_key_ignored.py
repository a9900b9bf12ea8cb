# rule: a sort key that does not count is no use
# family: decorative
# task: sorted_copy
import LIB

def ascending(a):
    return sorted(a, key=lambda x: (x, 0 * LIB.F[absolute](x)))
