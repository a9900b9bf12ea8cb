# rule: help() is not used
# task: mean
# kinds: raised
import LIB

def average(a):
    help(LIB.F[mean])
    return sum(a) / len(a)
