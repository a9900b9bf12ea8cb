# rule: a call in a class body is no use
# task: mean
# kinds: not_from_library
import LIB

class Config:
    probe = LIB.F[mean]([1.0, 3.0])

    @staticmethod
    def compute(a):
        return sum(a) / len(a)

def average(a):
    return Config.compute(a)
