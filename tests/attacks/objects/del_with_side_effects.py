# rule: what happens when a result is thrown away decides nothing
# task: mean
# kinds: not_from_library
import LIB

class Late:
    def __del__(self):
        print("passed")

kept = []

def average(a):
    LIB.F[mean](a)
    kept.append(Late())
    kept.clear()
    return sum(a) / len(a)
