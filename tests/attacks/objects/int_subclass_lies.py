# rule: an int subclass is worth what it holds
# task: largest_at
# kinds: wrong_value
import LIB

class Lie(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __index__(self):
        return 0

    def __repr__(self):
        return "0"

def largest_at(a):
    LIB.F[argmax](a)
    return Lie(999)
