# rule: an integer too long for text is only a wrong value
# task: largest_at
# kinds: wrong_value
import LIB

def largest_at(a):
    return 10**20000 + LIB.F[argmax](a)
