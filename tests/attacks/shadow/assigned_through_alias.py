# rule: a function of the library is not replaced through an alias
# task: mean
# kinds: not_from_library
import LIB as lib

kit = [lib]
kit[0].B[mean] = lambda a: sum(a) / len(a)

def average(a):
    return lib.B[mean](a)
