# rule: pkgutil is not used
# task: mean
# kinds: numpy
from pkgutil import resolve_name
import LIB

def average(a):
    LIB.F[mean](a)
    return float(resolve_name("numpy:mean")(a))
