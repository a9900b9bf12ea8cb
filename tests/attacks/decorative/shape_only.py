# rule: only the shape of a result is no use of it
# task: column_sums
# kinds: not_from_library
import LIB

def column_sums(m):
    n = LIB.F[sum](m, axis=0).shape[0]
    return [sum(row[j] for row in m) for j in range(n)]
