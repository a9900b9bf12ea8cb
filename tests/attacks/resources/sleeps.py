# rule: sleeping is not waited for
# task: mean
# kinds: time
import time
import LIB

def average(a):
    time.sleep(10**6)
    return LIB.F[mean](a)
