# rule: a result cut off by bounds is no use
# task: largest_at
# kinds: not_from_library
import LIB

def largest_at(a):
    own = a.index(max(a))
    return min(max(LIB.F[argmax](a), own), own)
