# rule: a Decimal computed aside is not from the library
# family: objects
# task: mean
from decimal import Decimal
import LIB

def average(a):
    LIB.F[mean](a)
    return sum(map(Decimal, a)) / len(a)
