# rule: an answer that changes while it is read is no list
# task: sorted_copy
# kinds: wrong_type
import LIB

class Growing:
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        yield from self.values

def ascending(a):
    LIB.F[sort](a)
    return Growing(sorted(a))
