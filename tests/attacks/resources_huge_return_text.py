# rule: a huge text is not sent back
# family: resources
# task: mean
import LIB

def average(a):
    return str(LIB.F[mean](a)) * 10**8
