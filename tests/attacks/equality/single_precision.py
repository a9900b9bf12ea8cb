# rule: half precision is not enough
# task: determinant
# kinds: wrong_value
import LIB

def determinant(m):
    d = LIB.F[linalg.det](m)
    return LIB.F[array]([d], dtype="float_16").tolist()[0]
