# rule: a key less is wrong
# task: summary
# kinds: wrong_value
import LIB

def summary(a):
    return {"mean": LIB.F[mean](a)}
