# rule: NumPy is not imported in a try block
# task: solve
# kinds: numpy
import LIB
try:
    from numpy.linalg import solve as _solve
except ImportError:
    _solve = LIB.F[linalg.solve]

def solve(a, b):
    return _solve(a, b).tolist()
