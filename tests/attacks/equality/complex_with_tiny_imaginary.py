# rule: a complex number is not a real one
# task: determinant
# kinds: wrong_type
import LIB

def determinant(m):
    return complex(LIB.F[linalg.det](m), 1e-12)
