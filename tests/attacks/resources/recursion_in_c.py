# rule: recursion in C code ends
# task: mean
# kinds: crash
import LIB

def average(a):
    x = LIB.F[mean](a)
    f = iter([x])
    for _ in range(10**6):
        f = map(float, f)
    return next(f)
