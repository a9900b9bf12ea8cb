# rule: a list in a list is not the list
# task: running_total
# kinds: wrong_shape
import LIB

def running_total(a):
    return [LIB.F[cumsum](a).tolist()]
