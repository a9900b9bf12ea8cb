# rule: the class of the package is not changed
# task: sorted_copy
# kinds: not_from_library
import LIB

class Spy(type(LIB)):
    def __getattribute__(self, name):
        return sorted if name == "B[sort]" else super().__getattribute__(name)

LIB.__class__ = Spy

def ascending(a):
    return LIB.F[sort](a)
