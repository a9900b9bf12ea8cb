# rule: a promise to compute is no number
# family: objects
# task: mean
from functools import partial
import LIB

def average(a):
    return partial(LIB.F[mean], a)
