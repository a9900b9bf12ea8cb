# rule: a shift by a huge distance is refused
# task: mean
# kinds: memory, time
import LIB

def average(a):
    return LIB.F[mean](a) + (1 << (1 << 62))
