# rule: arithmetic with huge integers ends
# family: resources
# task: mean
import LIB

def average(a):
    n = 7 ** (10**9)
    return LIB.F[mean](a) + n % 2 - 1
