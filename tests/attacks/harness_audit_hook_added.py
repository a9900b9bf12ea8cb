# rule: no audit hook is added
# family: harness
# task: mean
import sys
import LIB

seen = []
sys.addaudithook(lambda event, args: seen.append(event))

def average(a):
    LIB.F[mean](a)
    return sum(a) / len(a)
