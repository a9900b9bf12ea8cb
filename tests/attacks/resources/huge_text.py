# rule: a huge text is refused
# task: mean
# kinds: memory, time
import LIB

def average(a):
    x = "x" * 10**12
    return LIB.F[mean](a) + len(x) * 0
