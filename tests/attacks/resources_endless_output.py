# rule: endless output ends
# family: resources
# task: mean
import LIB

def average(a):
    LIB.F[mean](a)
    line = "x" * 10**6
    while True:
        print(line)
