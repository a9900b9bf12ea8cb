# rule: a huge array is refused
# task: mean
# kinds: memory, time
import LIB

def average(a):
    x = LIB.F[ones]((10**6, 10**6))
    return LIB.F[mean](x) * LIB.F[mean](a)
