# rule: arithmetic with huge integers ends
# task: mean
# kinds: time
import LIB

def average(a):
    n = 7 ** (10**9)
    return LIB.F[mean](a) + n % 2 - 1
