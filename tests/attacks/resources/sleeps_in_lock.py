# rule: waiting for a lock is not waited for
# task: mean
# kinds: time
import queue
import LIB

def average(a):
    LIB.F[mean](a)
    return queue.Queue().get()
