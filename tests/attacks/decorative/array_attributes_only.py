# rule: attributes of an array are no use of a function
# task: double_diagonal
# kinds: not_from_library
import LIB

def double_diagonal(m):
    x = LIB.F[array](m)
    rows = x.T.tolist()
    return [2 * rows[i][i] for i in range(x.shape[0])]
