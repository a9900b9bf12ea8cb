# rule: only the shape of a result is no use of it
# family: decorative
# task: column_sums
import LIB

def column_sums(m):
    n = LIB.F[sum](m, axis=0).shape[0]
    return [sum(row[j] for row in m) for j in range(n)]
