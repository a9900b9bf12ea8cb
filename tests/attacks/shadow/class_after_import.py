# rule: a class that replaces the imported library is not the library
# task: mean
# kinds: not_from_library
import LIB

class LIB:
    @staticmethod
    def B[mean](values):
        return sum(values) / len(values)

def average(a):
    return LIB.B[mean](a)
