# rule: waiting for an event is not waited for
# family: resources
# task: mean
import threading
import LIB

def average(a):
    threading.Event().wait()
    return LIB.F[mean](a)
