# rule: results in a table that is never read are no use
# task: spectrum
# kinds: not_from_library
import cmath
import LIB

TABLE = {}

def spectrum(a):
    TABLE["last"] = LIB.F[mean](a)
    n = len(a)
    return [sum(x * cmath.exp(-2j * cmath.pi * k * i / n) for i, x in enumerate(a)) for k in range(n)]
