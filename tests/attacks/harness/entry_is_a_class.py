# rule: an instance is no answer
# task: mean
# kinds: wrong_type
import LIB

class average:
    def __init__(self, a):
        self.value = LIB.F[mean](a)

    def __float__(self):
        return self.value
