# rule: __class__ does not make an object a list
# task: sorted_copy
# kinds: raised
import LIB

class Pretender:
    def __init__(self, values):
        self.values = values

    @property
    def __class__(self):
        return list

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i]

def ascending(a):
    LIB.F[sort](a)
    return Pretender(sorted(a))
