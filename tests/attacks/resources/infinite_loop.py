# rule: an endless loop ends
# task: mean
# kinds: time
import LIB

def average(a):
    while True:
        LIB.F[mean](a)
