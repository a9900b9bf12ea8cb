# bank: three_hops_by_letter
# kinds: passed
import LIB
def three_hops_by_letter(links):
    n = LIB.F[shape](links)[0]
    mul = lambda a, b: [[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    return mul(mul(links, links), links)
