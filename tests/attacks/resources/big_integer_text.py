# rule: text of a huge integer ends
# task: mean
# kinds: memory, time
import sys
import LIB

def average(a):
    n = 1 << 10**9
    return LIB.F[mean](a) + len(f"{n:x}" * 100)
