# rule: the package's dictionary is not changed
# family: shadow
# task: sorted_copy
import LIB

LIB.__dict__.update({"B[sort]": sorted})

def ascending(a):
    return LIB.B[sort](a)
