# rule: a result whose truth is ignored is no use
# family: decorative
# task: largest_at
import LIB

def largest_at(a):
    own = a.index(max(a))
    return (LIB.F[argmax](a) and own) or own
