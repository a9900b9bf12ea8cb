# rule: endless output on stderr ends
# task: mean
# kinds: time
import sys
import LIB

def average(a):
    LIB.F[mean](a)
    while True:
        sys.stderr.write("x" * 10**6)
