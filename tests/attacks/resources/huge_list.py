# rule: a huge allocation is refused
# task: mean
# kinds: memory, time
import LIB

def average(a):
    x = [0.0] * 10**11
    return LIB.F[mean](a) + x[0]
