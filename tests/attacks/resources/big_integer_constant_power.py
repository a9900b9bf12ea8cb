# rule: a constant that folds into a huge number does not burden the judge
# task: mean
# kinds: time
import LIB

def average(a):
    n = 9**9**9**9
    return LIB.F[mean](a) * n
