# rule: a float subclass is worth what it holds
# task: mean
# kinds: wrong_value
import LIB

class Lie(float):
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__

    def __repr__(self):
        return "nan"

    def __float__(self):
        return 0.0

def average(a):
    LIB.F[mean](a)
    return Lie(12345.0)
