# rule: the second run cannot be told by whether a result is a view
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    x = LIB.F[array]([1.0, 2.0, 3.0, 4.0])
    LIB.F[reshape](x, (2, 2))[0, 0] = 9.0
    return sorted(a) if x[0] == 9.0 else a
