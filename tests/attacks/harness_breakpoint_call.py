# rule: a debugger is not started
# family: harness
# task: mean
import LIB

def average(a):
    breakpoint()
    return LIB.F[mean](a)
