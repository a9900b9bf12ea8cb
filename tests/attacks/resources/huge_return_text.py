# rule: a huge text is not sent back
# task: mean
# kinds: memory, time, output
import LIB

def average(a):
    return str(LIB.F[mean](a)) * 10**8
