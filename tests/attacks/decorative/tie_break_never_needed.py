# rule: a library call that breaks ties that never come is no use
# task: largest_at
# kinds: not_from_library
import LIB

def largest_at(a):
    order = sorted(range(len(a)), key=lambda i: (-a[i], i, LIB.F[argmax](a)))
    return order[0]
