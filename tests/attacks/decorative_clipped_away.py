# rule: a result cut off by bounds is no use
# family: decorative
# task: largest_at
import LIB

def largest_at(a):
    own = a.index(max(a))
    return min(max(LIB.F[argmax](a), own), own)
