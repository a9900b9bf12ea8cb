# rule: a missing value is not left out
# task: clean_mean
# kinds: wrong_value
import LIB

def clean_mean(a):
    return LIB.F[mean](a)
