# rule: half of the answer is wrong
# task: double_diagonal
# kinds: wrong_value
import LIB

def double_diagonal(m):
    return LIB.F[diagonal](m)
