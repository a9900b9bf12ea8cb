# rule: taking a deep structure apart does no harm to the judge
# task: mean
# kinds: output, time
import LIB

def average(a):
    x = LIB.F[mean](a)
    for _ in range(5 * 10**6):
        x = (x,)
    return x
