# rule: the package's dictionary is not changed
# task: sorted_copy
# kinds: not_from_library
import LIB

LIB.__dict__.update({"B[sort]": sorted})

def ascending(a):
    return LIB.B[sort](a)
