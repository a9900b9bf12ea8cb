# rule: no thread changes the answer later
# family: harness
# task: running_total
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
