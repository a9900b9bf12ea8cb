# rule: the process number does not tell the runs apart
# task: mean
# kinds: wrong_value
import os
import LIB

ODD = os.getpid() % 2

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + ODD
