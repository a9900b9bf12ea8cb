# rule: an endless loop ends
# family: resources
# task: mean
# kinds: time
import LIB

def average(a):
    while True:
        LIB.F[mean](a)
