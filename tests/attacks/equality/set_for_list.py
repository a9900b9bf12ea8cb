# rule: a set is not a list
# task: distinct
# kinds: wrong_type
import LIB

def distinct(a):
    return set(LIB.F[unique](a).tolist())
