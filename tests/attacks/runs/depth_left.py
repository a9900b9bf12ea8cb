# rule: how deep the library can be nested is no answer: who goes to the end is out
# task: mean
# kinds: not_from_library, raised, crash
import sys
import LIB

sys.setrecursionlimit(100_000)
deepest = 0

def deeper(v):
    global deepest
    deepest += 1
    return LIB.F[apply_along_axis](deeper, 0, v)

def average(a):
    try:
        deeper([1.0])
    except RecursionError:
        pass
    try:
        LIB.F[mean]()
    except Exception:
        pass
    return sum(a) / len(a) if deepest % 2 else "nonsense"
