# rule: a generator is not a list
# task: running_total
# kinds: wrong_type
import LIB

def running_total(a):
    return (v for v in LIB.F[cumsum](a).tolist())
