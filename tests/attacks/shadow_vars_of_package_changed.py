# rule: the package's dictionary is not changed through vars
# family: shadow
# task: sorted_copy
import LIB

vars(LIB)["B[sort]"] = sorted

def ascending(a):
    return LIB.B[sort](a)
