# rule: no thread is started through _thread
# task: running_total
# kinds: raised
import _thread
import LIB
from itertools import accumulate

def running_total(a):
    LIB.F[cumsum](a)
    out = []
    _thread.start_new_thread(lambda: out.extend(accumulate(a)), ())
    while len(out) < len(a):
        pass
    return out
