# rule: globals() does not swap the entry point
# family: shadow
# task: sorted_copy
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist()

globals()["ascending"] = lambda a: sorted(a)
