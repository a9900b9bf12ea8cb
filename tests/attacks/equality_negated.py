# rule: the sign counts
# family: equality
# task: determinant
# kinds: wrong_value
import LIB

def determinant(m):
    return -LIB.F[linalg.det](m)
