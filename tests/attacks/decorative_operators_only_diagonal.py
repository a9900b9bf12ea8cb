# rule: array construction plus indexing is no use of a function
# family: decorative
# task: double_diagonal
import LIB

def double_diagonal(m):
    x = LIB.F[array](m)
    return [float(x[i, i]) * 2 for i in range(len(m))]
