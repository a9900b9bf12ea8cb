# rule: keys are exact
# family: equality
# task: summary
import LIB

def summary(a):
    return {"Mean": LIB.F[mean](a), "Spread": LIB.F[std](a)}
