# rule: a float subclass does not choose its value when asked
# task: mean
# kinds: wrong_value
import LIB

class Late(float):
    def __new__(cls, a):
        self = super().__new__(cls, 1e9)
        self.a = a
        return self

    def __float__(self):
        return sum(self.a) / len(self.a)

    def __repr__(self):
        return repr(sum(self.a) / len(self.a))

    def as_integer_ratio(self):
        return (sum(self.a) / len(self.a)).as_integer_ratio()

def average(a):
    LIB.F[mean](a)
    return Late(a)
