# rule: the entry point that counts is the last one
# family: shadow
# task: mean
import LIB

def average(a):
    return LIB.F[mean](a)

average = lambda a: sum(a) / len(a)
