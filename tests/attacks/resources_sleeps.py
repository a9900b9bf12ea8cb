# rule: sleeping is not waited for
# family: resources
# task: mean
import time
import LIB

def average(a):
    time.sleep(10**6)
    return LIB.F[mean](a)
