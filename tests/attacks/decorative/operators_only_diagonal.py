# rule: array construction plus indexing is no use of a function
# task: double_diagonal
# kinds: not_from_library
import LIB

def double_diagonal(m):
    x = LIB.F[array](m)
    return [float(x[i, i]) * 2 for i in range(len(m))]
