# rule: the package's dictionary is not changed through vars
# task: sorted_copy
# kinds: not_from_library
import LIB

vars(LIB)["B[sort]"] = sorted

def ascending(a):
    return LIB.B[sort](a)
