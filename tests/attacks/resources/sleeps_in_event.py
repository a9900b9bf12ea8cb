# rule: waiting for an event is not waited for
# task: mean
# kinds: time
import threading
import LIB

def average(a):
    threading.Event().wait()
    return LIB.F[mean](a)
