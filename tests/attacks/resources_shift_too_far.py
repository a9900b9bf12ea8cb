# rule: a shift by a huge distance is refused
# family: resources
# task: mean
import LIB

def average(a):
    return LIB.F[mean](a) + (1 << (1 << 62))
