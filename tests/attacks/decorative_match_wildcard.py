# rule: a match that accepts anything is no use
# family: decorative
# task: largest_at
import LIB

def largest_at(a):
    match LIB.F[argmax](a):
        case _:
            return a.index(max(a))
