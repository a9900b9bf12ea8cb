# rule: a yes taken from a constant call is no use
# family: decorative
# task: sorted_copy
import LIB

def ascending(a):
    return sorted(a) if LIB.F[all]([True, True]) else a
