# rule: sys.modules is not read by a computed name
# task: mean
# kinds: raised
import sys
import LIB

def average(a):
    LIB.F[mean](a)
    return float(getattr(sys, "mod" + "ules")["num" + "py"].mean(a))
