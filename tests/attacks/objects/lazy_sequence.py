# rule: a lazy sequence is no list
# task: running_total
# kinds: wrong_type
import LIB

class Totals:
    def __init__(self, a):
        self.a = a

    def __len__(self):
        return len(self.a)

    def __getitem__(self, i):
        if i >= len(self.a):
            raise IndexError
        return sum(self.a[: i + 1])

def running_total(a):
    LIB.F[cumsum](a)
    return Totals(a)
