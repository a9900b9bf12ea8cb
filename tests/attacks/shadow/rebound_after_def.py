# rule: the entry point that counts is the last one
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    return LIB.F[mean](a)

average = lambda a: sum(a) / len(a)
