# rule: a tuple subclass is worth what it holds
# task: divide_with_rest
# kinds: wrong_value
import LIB

class Pair(tuple):
    def __iter__(self):
        return iter((tuple.__getitem__(self, 1), tuple.__getitem__(self, 0)))

    def __getitem__(self, i):
        return tuple.__getitem__(self, 1 - i)

def divide_with_rest(a, k):
    LIB.F[divmod](a, k)
    return Pair(([x % k for x in a], [x // k for x in a]))
