# rule: a call in an assertion that always holds is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    assert LIB.F[mean](a) is not None, "no mean"
    return sum(a) / len(a)
