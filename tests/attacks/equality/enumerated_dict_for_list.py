# rule: a dict by position is not a list
# task: running_total
# kinds: wrong_type
import LIB

def running_total(a):
    return dict(enumerate(LIB.F[cumsum](a).tolist()))
