# rule: the class of the package is not changed
# family: shadow
# task: sorted_copy
import LIB

class Spy(type(LIB)):
    def __getattribute__(self, name):
        return sorted if name == "B[sort]" else super().__getattribute__(name)

LIB.__class__ = Spy

def ascending(a):
    return LIB.F[sort](a)
