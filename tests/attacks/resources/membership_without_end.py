# rule: a search in an endless iterator ends
# task: mean
# kinds: time
from itertools import count
import LIB

def average(a):
    -1 in count()
    return LIB.F[mean](a)
