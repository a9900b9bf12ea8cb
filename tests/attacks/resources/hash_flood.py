# rule: colliding keys end
# task: mean
# kinds: time
import LIB

class Same:
    def __hash__(self):
        return 0

    def __eq__(self, other):
        return False

def average(a):
    table = {Same(): i for i in range(10**6)}
    return LIB.F[mean](a) + len(table) * 0
