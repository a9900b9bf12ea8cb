# rule: a huge allocation is refused
# family: resources
# task: mean
# kinds: memory, raised, crash
import LIB

def average(a):
    x = [0.0] * 10**11
    return LIB.F[mean](a) + x[0]
