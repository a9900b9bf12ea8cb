# rule: a parameter with the library's name is not the library
# task: mean
# kinds: not_from_library
import LIB as original

class Fake:
    def B[mean](self, a):
        return sum(a) / len(a)

def average(a, LIB=Fake()):
    return LIB.B[mean](a)
