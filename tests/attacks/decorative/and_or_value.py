# rule: a result whose truth is ignored is no use
# task: largest_at
# kinds: not_from_library
import LIB

def largest_at(a):
    own = a.index(max(a))
    return (LIB.F[argmax](a) and own) or own
