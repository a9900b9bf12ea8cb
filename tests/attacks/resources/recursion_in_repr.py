# rule: recursion in repr ends
# task: mean
# kinds: crash, raised
import sys
import LIB

class Deep:
    def __repr__(self):
        return repr([self, Deep()])

def average(a):
    sys.setrecursionlimit(10**6)
    print(Deep())
    return LIB.F[mean](a)
