# rule: a promise to compute is no number
# task: mean
# kinds: wrong_type
from functools import partial
import LIB

def average(a):
    return partial(LIB.F[mean], a)
