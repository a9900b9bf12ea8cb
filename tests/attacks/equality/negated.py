# rule: the sign counts
# task: determinant
# kinds: wrong_value
import LIB

def determinant(m):
    return -LIB.F[linalg.det](m)
