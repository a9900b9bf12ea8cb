# rule: standard input is not read
# task: mean
# kinds: raised
import LIB

def average(a):
    input()
    return LIB.F[mean](a)
