# rule: an object with __float__ is no number
# task: mean
# kinds: wrong_type
import LIB

class Number:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)

    def __index__(self):
        return int(self.value)

def average(a):
    LIB.F[mean](a)
    return Number(sum(a) / len(a))
