# rule: a huge value is within no tolerance
# task: mean
# kinds: wrong_value
import LIB

def average(a):
    return LIB.F[mean](a) * 1e300
