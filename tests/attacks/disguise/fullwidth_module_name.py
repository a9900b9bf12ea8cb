# rule: a module in letters that Python normalises is the same module
# task: mean
# kinds: numpy
import ｎｕｍｐｙ as q
import LIB

def average(a):
    LIB.F[mean](a)
    return float(q.mean(a))
