# rule: one element more is wrong
# task: running_total
# kinds: wrong_shape
import LIB

def running_total(a):
    return [0] + LIB.F[cumsum](a).tolist()
