# rule: a Fraction computed aside is not from the library
# task: mean
# kinds: wrong_type
from fractions import Fraction
import LIB

def average(a):
    LIB.F[mean](a)
    return sum(map(Fraction, a)) / len(a)
