# rule: NumPy is not imported inside a function
# task: column_sums
# kinds: numpy
import LIB

def column_sums(m):
    from numpy import sum as total
    LIB.F[sum](m)
    return total(m, axis=0).tolist()
