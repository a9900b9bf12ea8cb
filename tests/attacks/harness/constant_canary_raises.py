# rule: the second run cannot be ended by an assertion about a known answer
# task: sorted_copy
# kinds: not_from_library
import LIB

assert LIB.F[max]([1, 5, 2]) == 5

def ascending(a):
    return sorted(a)
