# rule: array construction plus operators is no use of a function
# task: divide_with_rest
# kinds: not_from_library
import LIB

def divide_with_rest(a, k):
    x = LIB.F[array](a)
    return ((x // k).tolist(), (x % k).tolist())
