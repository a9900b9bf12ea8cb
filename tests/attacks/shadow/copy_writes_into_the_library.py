# rule: copy must not set attributes of the library
# task: mean
# kinds: not_from_library
import copy
import LIB

class C:
    def __reduce_ex__(self, protocol):
        return (lambda: LIB, (), (None, {'B[mean]': lambda a: sum(a) / len(a)}))

def average(a):
    LIB.F[sum](a)
    copy.copy(C())
    return LIB.F[mean](a)
