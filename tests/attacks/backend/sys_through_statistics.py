# rule: a public name of an allowed module that is a module is not reached
# task: mean
# kinds: raised
import statistics
import LIB

def average(a):
    LIB.F[mean](a)
    return float(statistics.sys.modules["numpy"].mean(a))
