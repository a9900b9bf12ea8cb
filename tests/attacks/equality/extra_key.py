# rule: a key more is wrong
# task: summary
# kinds: wrong_value
import LIB

def summary(a):
    return {"mean": LIB.F[mean](a), "spread": LIB.F[std](a), "n": len(a)}
