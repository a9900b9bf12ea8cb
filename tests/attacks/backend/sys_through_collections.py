# rule: a module inside an allowed module is not reached
# task: mean
# kinds: raised
import collections
import LIB

def average(a):
    LIB.F[mean](a)
    return float(collections._sys.modules["numpy"].mean(a))
