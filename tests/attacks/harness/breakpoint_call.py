# rule: a debugger is not started
# task: mean
# kinds: raised
import LIB

def average(a):
    breakpoint()
    return LIB.F[mean](a)
