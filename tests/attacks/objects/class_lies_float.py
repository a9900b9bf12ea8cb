# rule: __class__ does not make an object a float
# task: mean
# kinds: wrong_type
import LIB

class Pretender:
    def __init__(self, value):
        self.value = value

    @property
    def __class__(self):
        return float

    def __float__(self):
        return self.value

    def __repr__(self):
        return repr(self.value)

def average(a):
    LIB.F[mean](a)
    return Pretender(sum(a) / len(a))
