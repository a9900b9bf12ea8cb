# rule: pairs are not a dict
# task: summary
# kinds: wrong_type
import LIB

def summary(a):
    return [("mean", LIB.F[mean](a)), ("spread", LIB.F[std](a))]
