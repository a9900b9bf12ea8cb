# rule: a list is not a tuple
# task: divide_with_rest
# kinds: wrong_type
import LIB

def divide_with_rest(a, k):
    q, r = LIB.F[divmod](a, k)
    return [q.tolist(), r.tolist()]
