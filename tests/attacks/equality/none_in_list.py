# rule: None is no number
# task: clean_mean
# kinds: wrong_type
import LIB

def clean_mean(a):
    return None if LIB.F[isnan](a)[-1] else LIB.F[mean](a)
