# rule: a hook of the package is not installed
# task: mean
# kinds: not_from_library
import LIB

LIB.__getattr__ = lambda name: lambda a: sum(a) / len(a)

def average(a):
    return LIB.anything_at_all(a)
