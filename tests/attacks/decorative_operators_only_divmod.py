# rule: array construction plus operators is no use of a function
# family: decorative
# task: divide_with_rest
import LIB

def divide_with_rest(a, k):
    x = LIB.F[array](a)
    return ((x // k).tolist(), (x % k).tolist())
