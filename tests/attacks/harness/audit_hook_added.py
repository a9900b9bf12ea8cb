# rule: no audit hook is added
# task: mean
# kinds: not_from_library
import sys
import LIB

seen = []
sys.addaudithook(lambda event, args: seen.append(event))

def average(a):
    LIB.F[mean](a)
    return sum(a) / len(a)
