# rule: an endless loop while the program loads ends
# family: resources
# task: mean
# kinds: time
import LIB

def average(a):
    return LIB.F[mean](a)

while True:
    pass
