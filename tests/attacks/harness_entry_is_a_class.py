# rule: an instance is no answer
# family: harness
# task: mean
import LIB

class average:
    def __init__(self, a):
        self.value = LIB.F[mean](a)

    def __float__(self):
        return self.value
