# rule: the parts of a tuple have their order
# task: divide_with_rest
# kinds: wrong_value
import LIB

def divide_with_rest(a, k):
    q, r = LIB.F[divmod](a, k)
    return (r.tolist(), q.tolist())
