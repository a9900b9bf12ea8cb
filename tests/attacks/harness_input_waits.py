# rule: standard input is not read
# family: harness
# task: mean
import LIB

def average(a):
    input()
    return LIB.F[mean](a)
