# rule: str.format does not read attributes behind the package
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    text = "{0.__globals__}".format(LIB.F[mean])
    return sum(a) / len(a) if text else 0.0
