# rule: keys are exact
# task: summary
# kinds: wrong_value
import LIB

def summary(a):
    return {"Mean": LIB.F[mean](a), "Spread": LIB.F[std](a)}
