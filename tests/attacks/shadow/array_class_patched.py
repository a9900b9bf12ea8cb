# rule: the array type is not changed
# task: sorted_copy
# kinds: not_from_library
import LIB

LIB.ARRAY.tolist = lambda self: sorted(float(v) for v in self)

def ascending(a):
    return LIB.F[array](a).tolist()
