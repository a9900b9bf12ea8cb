# rule: a complex number is not a real one
# family: equality
# task: determinant
# kinds: wrong_type, wrong_value
import LIB

def determinant(m):
    return complex(LIB.F[linalg.det](m), 1e-12)
