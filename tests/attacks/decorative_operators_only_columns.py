# rule: array construction plus operators is no use of a function
# family: decorative
# task: column_sums
import LIB

def column_sums(m):
    x = LIB.F[array](m)
    return (LIB.F[array]([1.0] * len(m)) @ x).tolist()
