# rule: a variable with the library's name is not the library
# task: distinct
# kinds: not_from_library
import LIB

def distinct(a):
    LIB = type("m", (), {"B[unique]": staticmethod(lambda v: sorted(set(v)))})
    return LIB.B[unique](a)
