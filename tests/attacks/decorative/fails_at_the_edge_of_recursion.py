# rule: a run that only recurses too deep when the library lies does not depend on the library
# task: mean
# kinds: raised
import LIB

def deep(n, a):
    return deep(n - 1, a) if n else LIB.F[ravel](a)

def average(a):
    deep(983, a)
    return sum(a) / len(a)
