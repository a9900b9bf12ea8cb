# rule: a huge array is refused
# family: resources
# task: mean
import LIB

def average(a):
    x = LIB.F[ones]((10**6, 10**6))
    return LIB.F[mean](x) * LIB.F[mean](a)
