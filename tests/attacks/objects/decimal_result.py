# rule: a Decimal computed aside is not from the library
# task: mean
# kinds: wrong_type
from decimal import Decimal
import LIB

def average(a):
    LIB.F[mean](a)
    return sum(map(Decimal, a)) / len(a)
