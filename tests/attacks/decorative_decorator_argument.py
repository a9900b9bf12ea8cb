# rule: a call in a decorator's argument is no use
# family: decorative
# task: sorted_copy
import LIB

def tagged(tag):
    return lambda f: f

@tagged(LIB.F[sort]([3, 1, 2]))
def ascending(a):
    return sorted(a)
