# rule: a choice between equal own answers is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    return min(own, own, key=lambda v: LIB.F[mean](a))
