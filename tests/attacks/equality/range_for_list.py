# rule: a range is not a list
# task: distinct
# kinds: wrong_type
import LIB

def distinct(a):
    u = LIB.F[unique](a).tolist()
    return range(u[0], u[-1] + 1)
