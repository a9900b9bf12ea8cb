# rule: a deque is no list
# family: objects
# task: running_total
from collections import deque
from itertools import accumulate
import LIB

def running_total(a):
    LIB.F[cumsum](a)
    return deque(accumulate(a))
