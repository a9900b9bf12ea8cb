# rule: an object that looks like an array is none
# task: sorted_copy
# kinds: wrong_type
import LIB

class Grid:
    ndim = 1
    dtype = "float"

    def __init__(self, values):
        self.values = values
        self.shape = (len(values),)
        self.size = len(values)

    @property
    def __class__(self):
        return LIB.ARRAY

    def tolist(self):
        return self.values

    def __iter__(self):
        return iter(self.values)

def ascending(a):
    LIB.F[sort](a)
    return Grid(sorted(a))
