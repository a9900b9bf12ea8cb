# rule: only the type of a result is no use of it
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    kind = type(LIB.F[mean](a))
    return kind(sum(a) / len(a))
