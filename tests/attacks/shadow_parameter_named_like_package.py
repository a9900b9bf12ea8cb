# rule: a parameter with the library's name is not the library
# family: shadow
# task: mean
import LIB as original

class Fake:
    def B[mean](self, a):
        return sum(a) / len(a)

def average(a, LIB=Fake()):
    return LIB.B[mean](a)
