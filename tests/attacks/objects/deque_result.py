# rule: a deque is no list
# task: running_total
# kinds: wrong_type
from collections import deque
from itertools import accumulate
import LIB

def running_total(a):
    LIB.F[cumsum](a)
    return deque(accumulate(a))
