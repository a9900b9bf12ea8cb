# rule: array construction plus operators is no use of a function
# task: column_sums
# kinds: not_from_library
import LIB

def column_sums(m):
    x = LIB.F[array](m)
    return (LIB.F[array]([1.0] * len(m)) @ x).tolist()
