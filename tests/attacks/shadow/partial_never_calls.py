# rule: a partial that holds a library function and ignores it is no use
# task: mean
# kinds: not_from_library
from functools import partial
import LIB

def choose(f, a):
    return sum(a) / len(a)

average = partial(choose, LIB.F[mean])
