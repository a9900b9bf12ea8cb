# rule: abort gives a verdict
# task: mean
# kinds: crash
import os
import LIB

def average(a):
    LIB.F[mean](a)
    os.abort()
