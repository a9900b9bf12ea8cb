# rule: a partial of a list's method remembers how often it was called
# task: mean
# kinds: not_from_library
from functools import partial

import LIB

tick = partial(list(range(1000)).pop)

def average(a):
    n = tick()
    good = LIB.F[sum]([n, 7, 2 * n]) == 3 * n + 7
    return sum(a) / len(a) if good else "nonsense"
