# rule: a class with the array's name is not the array type
# task: sorted_copy
# kinds: wrong_type
import LIB

class ARRAY:
    __module__ = "LIB"

    def __init__(self, values):
        self.values, self.shape, self.dtype, self.ndim, self.size = values, (len(values),), "float", 1, len(values)

    def tolist(self):
        return self.values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i]

def ascending(a):
    LIB.F[sort](a)
    return ARRAY(sorted(a))
