# rule: an entry point that replaces itself is no use of the library
# family: shadow
# task: mean
import LIB

def average(a):
    global average
    LIB.F[mean](a)
    average = lambda a: sum(a) / len(a)
    return average(a)
