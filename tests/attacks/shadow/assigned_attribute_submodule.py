# rule: a function of a sub-module is not replaced
# task: determinant
# kinds: not_from_library
import LIB

def det(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * m[0][j] * det([r[:j] + r[j + 1:] for r in m[1:]]) for j in range(len(m)))

LIB.M[linalg].B[linalg.det] = det

def determinant(m):
    return LIB.F[linalg.det](m)
