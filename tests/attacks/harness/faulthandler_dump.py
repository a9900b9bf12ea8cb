# rule: no traceback is dumped into descriptors
# task: mean
# kinds: raised
import faulthandler
import LIB

def average(a):
    LIB.F[mean](a)
    faulthandler.dump_traceback_later(1000)
    faulthandler.cancel_dump_traceback_later()
    return sum(a) / len(a)
