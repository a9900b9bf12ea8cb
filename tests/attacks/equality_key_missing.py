# rule: a key less is wrong
# family: equality
# task: summary
import LIB

def summary(a):
    return {"mean": LIB.F[mean](a)}
