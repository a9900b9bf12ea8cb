# rule: a division that traps in C is an error at most
# task: divide_with_rest
# kinds: wrong_value
import LIB

def divide_with_rest(a, k):
    low = LIB.F[array]([-(2**63)])
    LIB.F[floor_divide](low, -1)
    q, r = LIB.F[divmod](a, 0)
    return (q.tolist(), r.tolist())
