# rule: the second run cannot be told by how often a callback is called
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    calls = []

    def probe(x):
        calls.append(1)
        return x

    LIB.F[piecewise]([1.0, 2.0], [[True, True]], [probe])
    return own if len(calls) == 1 else own + 1.0
