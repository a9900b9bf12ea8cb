# rule: a hook of the package is not installed
# family: shadow
# task: mean
import LIB

LIB.__getattr__ = lambda name: lambda a: sum(a) / len(a)

def average(a):
    return LIB.anything_at_all(a)
