# rule: no part of NumPy is imported
# task: determinant
# kinds: numpy
import numpy.linalg
import LIB

def determinant(m):
    LIB.F[linalg.det](m)
    return float(numpy.linalg.det(m))
