# rule: a fallback around a call that fails is no use
# task: solve
# kinds: not_from_library
import LIB

def solve(a, b):
    try:
        return LIB.F[linalg.solve](a, b, method="exact")
    except TypeError:
        n = len(b)
        m = [list(map(float, row)) + [v] for row, v in zip(a, b)]
        for i in range(n):
            p = max(range(i, n), key=lambda r: abs(m[r][i]))
            m[i], m[p] = m[p], m[i]
            m[i] = [x / m[i][i] for x in m[i]]
            for r in range(n):
                if r != i:
                    m[r] = [x - m[r][i] * y for x, y in zip(m[r], m[i])]
        return [row[n] for row in m]
