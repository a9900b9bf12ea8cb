# rule: a metaclass does not make an object a float
# task: mean
# kinds: wrong_type
import LIB

class Meta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(float)

    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __repr__(cls):
        return "<class 'float'>"

class float64(metaclass=Meta):
    def __eq__(self, other):
        return True

    __hash__ = None

float64.__name__ = float64.__qualname__ = "float"

def average(a):
    LIB.F[mean](a)
    return float64()
