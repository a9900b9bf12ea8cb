# rule: an entry point that replaces itself is no use of the library
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    global average
    LIB.F[mean](a)
    average = lambda a: sum(a) / len(a)
    return average(a)
