# rule: a key more is wrong
# family: equality
# task: summary
import LIB

def summary(a):
    return {"mean": LIB.F[mean](a), "spread": LIB.F[std](a), "n": len(a)}
