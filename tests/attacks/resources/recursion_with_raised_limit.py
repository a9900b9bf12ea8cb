# rule: recursion down to the end of the stack is a crash of the answer's own
# task: mean
# kinds: time, crash
import sys
import LIB

sys.setrecursionlimit(2**31 - 1)

def average(a, depth=0):
    return average(list(map(float, a)), depth + 1) + LIB.F[mean](a)
