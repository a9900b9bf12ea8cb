# rule: a zip object is not a list
# task: running_total
# kinds: wrong_type
import LIB

def running_total(a):
    return zip(LIB.F[cumsum](a).tolist())
