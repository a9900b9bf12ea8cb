# rule: no thread changes the answer later
# task: running_total
# kinds: raised
import threading
import LIB
from itertools import accumulate

def running_total(a):
    LIB.F[cumsum](a)
    out = []

    def fill():
        out.extend(accumulate(a))

    t = threading.Thread(target=fill)
    t.start()
    t.join()
    return out
