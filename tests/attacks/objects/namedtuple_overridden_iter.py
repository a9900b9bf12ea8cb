# rule: a named tuple is worth what it holds
# task: divide_with_rest
# kinds: wrong_value
from collections import namedtuple
import LIB

class Result(namedtuple("Result", "q r")):
    def __iter__(self):
        return iter((self.r, self.q))

    def __getitem__(self, i):
        return (self.r, self.q)[i]

def divide_with_rest(a, k):
    LIB.F[divmod](a, k)
    return Result([x % k for x in a], [x // k for x in a])
