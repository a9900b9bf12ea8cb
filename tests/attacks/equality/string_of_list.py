# rule: the printed list is not the list
# task: running_total
# kinds: wrong_type
import LIB

def running_total(a):
    return str(LIB.F[cumsum](a).tolist())
