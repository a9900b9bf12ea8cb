# rule: a module of the answer's own class is not the library
# task: sorted_copy
# kinds: not_from_library
import LIB

class Other(type(LIB)):
    def __getattr__(self, name):
        return sorted

LIB = Other("LIB")

def ascending(a):
    return LIB.F[sort](a)
