# rule: an endless loop while the program loads ends
# task: mean
# kinds: time
import LIB

def average(a):
    return LIB.F[mean](a)

while True:
    pass
