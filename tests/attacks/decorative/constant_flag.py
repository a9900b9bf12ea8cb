# rule: a yes taken from a constant call is no use
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    return sorted(a) if LIB.F[all]([True, True]) else a
