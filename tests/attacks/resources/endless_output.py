# rule: endless output ends
# task: mean
# kinds: time
import LIB

def average(a):
    LIB.F[mean](a)
    line = "x" * 10**6
    while True:
        print(line)
