# rule: a call in an assertion that always holds is no use
# family: decorative
# task: mean
import LIB

def average(a):
    assert LIB.F[mean](a) is not None, "no mean"
    return sum(a) / len(a)
