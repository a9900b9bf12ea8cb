# rule: setattr does not replace a function of the library
# task: sorted_copy
# kinds: not_from_library
import LIB

setattr(LIB, "B[sort]", sorted)

def ascending(a):
    return LIB.B[sort](a)
