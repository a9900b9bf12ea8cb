# rule: the entry point that counts is the last one
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist()

def ascending(a):
    return sorted(a)
