# rule: one element less is wrong
# task: running_total
# kinds: wrong_shape
import LIB

def running_total(a):
    return LIB.F[cumsum](a).tolist()[:-1]
