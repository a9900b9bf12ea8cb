# rule: a library name swapped during the run is not the library
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    global LIB
    LIB.F[mean](a)
    keep, LIB = LIB, __import__("types").SimpleNamespace(m=lambda v: sum(v) / len(v))
    try:
        return LIB.m(a)
    finally:
        LIB = keep
