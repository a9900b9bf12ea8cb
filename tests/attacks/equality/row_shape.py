# rule: (1, n) is not (n,)
# task: column_sums
# kinds: wrong_shape
import LIB

def column_sums(m):
    return LIB.F[sum](m, axis=0, keepdims=True)
