# rule: a call in a decorator's argument is no use
# task: sorted_copy
# kinds: not_from_library
import LIB

def tagged(tag):
    return lambda f: f

@tagged(LIB.F[sort]([3, 1, 2]))
def ascending(a):
    return sorted(a)
