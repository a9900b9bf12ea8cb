# rule: setattr does not replace a function of the library
# family: shadow
# task: sorted_copy
import LIB

setattr(LIB, "B[sort]", sorted)

def ascending(a):
    return LIB.B[sort](a)
