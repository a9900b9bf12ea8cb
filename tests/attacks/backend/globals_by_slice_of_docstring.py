# rule: a forbidden attribute is not cut out of other text
# task: mean
# kinds: numpy
"""__snoitcnuf__ __slabolg__ __snitliub__ __tropmi__"""
import LIB

def average(a):
    words = [w[::-1] for w in "__slabolg__ __snitliub__ __tropmi__".split()]
    g = getattr(LIB.F[mean], words[0])
    b = g[words[1]]
    load = b[words[2]] if isinstance(b, dict) else getattr(b, words[2])
    return float(load("ypmun"[::-1]).mean(a))
