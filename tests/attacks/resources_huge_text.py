# rule: a huge text is refused
# family: resources
# task: mean
# kinds: memory, raised, crash
import LIB

def average(a):
    x = "x" * 10**12
    return LIB.F[mean](a) + len(x) * 0
