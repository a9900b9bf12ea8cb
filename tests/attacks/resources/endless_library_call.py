# rule: a library call that is far too large ends
# task: mean
# kinds: memory, time
import LIB

def average(a):
    x = LIB.F[ones]((3000, 3000))
    for _ in range(10**6):
        x = LIB.F[matmul](x, x) * 1e-4
    return LIB.F[mean](a)
