# rule: an answer without the library is not from the library
# task: solve
# kinds: not_from_library
from fractions import Fraction

def solve(a, b):
    n = len(b)
    m = [[Fraction(x) for x in row] + [Fraction(v)] for row, v in zip(a, b)]
    for i in range(n):
        p = next(r for r in range(i, n) if m[r][i])
        m[i], m[p] = m[p], m[i]
        for r in range(n):
            if r != i:
                k = m[r][i] / m[i][i]
                m[r] = [x - k * y for x, y in zip(m[r], m[i])]
    return [float(m[i][n] / m[i][i]) for i in range(n)]
