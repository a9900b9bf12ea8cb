# rule: a program that waits for what never comes is ended soon
# task: mean
# kinds: time
import os
import LIB

def average(a):
    os.read(3, 10)
    return LIB.F[mean](a)
