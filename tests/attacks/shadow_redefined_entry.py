# rule: the entry point that counts is the last one
# family: shadow
# task: sorted_copy
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist()

def ascending(a):
    return sorted(a)
