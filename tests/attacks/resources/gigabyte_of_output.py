# rule: a gigabyte of output is kept nowhere
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    LIB.F[mean](a)
    line = "x" * 10**6
    for _ in range(1000):
        print(line)
    return sum(a) / len(a)
