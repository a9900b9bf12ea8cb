# rule: globals() does not swap the entry point
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist()

globals()["ascending"] = lambda a: sorted(a)
