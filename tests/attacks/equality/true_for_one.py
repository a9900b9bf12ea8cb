# rule: True is not 1
# task: largest_at
# kinds: wrong_type
import LIB

def largest_at(a):
    i = LIB.F[argmax](a)
    return bool(i) if i < 2 else i
