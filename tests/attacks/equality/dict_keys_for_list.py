# rule: a view of keys is not a list
# task: distinct
# kinds: wrong_type
import LIB

def distinct(a):
    return dict.fromkeys(LIB.F[unique](a).tolist()).keys()
