# rule: keys of another type are not the keys
# task: summary
# kinds: wrong_value
import LIB

class Key:
    def __init__(self, word):
        self.word = word

    def __hash__(self):
        return hash(self.word)

    def __eq__(self, other):
        return self.word == other or isinstance(other, Key)

def summary(a):
    return {Key("mean"): LIB.F[mean](a), Key("spread"): LIB.F[std](a)}
