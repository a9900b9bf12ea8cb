# bank: turned_and_stretched
# kinds: passed
import LIB
def turned_and_stretched(points, turns):
    return LIB.F[ravel]([p * t for p, t in zip(points, turns)])
