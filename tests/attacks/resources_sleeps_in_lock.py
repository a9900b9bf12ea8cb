# rule: waiting for a lock is not waited for
# family: resources
# task: mean
import queue
import LIB

def average(a):
    LIB.F[mean](a)
    return queue.Queue().get()
