# rule: a None at the end is an element
# task: running_total
# kinds: wrong_shape
import LIB

def running_total(a):
    return LIB.F[cumsum](a).tolist() + [None]
