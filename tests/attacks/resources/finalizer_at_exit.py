# rule: a finalizer at the end of the process does not hold the judge
# task: mean
# kinds: not_from_library
import LIB

class Stuck:
    def __del__(self):
        while True:
            pass

kept = Stuck()

def average(a):
    LIB.F[mean](a)
    return sum(a) / len(a)
