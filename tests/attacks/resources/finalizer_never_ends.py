# rule: a finalizer that never ends does not hold the judge
# task: mean
# kinds: time
import LIB

class Stuck:
    def __del__(self):
        while True:
            pass

kept = [Stuck()]

def average(a):
    LIB.F[mean](a)
    kept.clear()
    return sum(a) / len(a)
