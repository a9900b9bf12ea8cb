# rule: a variable with the library's name is not the library
# family: shadow
# task: distinct
import LIB

def distinct(a):
    LIB = type("m", (), {"B[unique]": staticmethod(lambda v: sorted(set(v)))})
    return LIB.B[unique](a)
