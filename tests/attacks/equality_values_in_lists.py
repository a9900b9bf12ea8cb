# rule: [x] in a dict is not x
# family: equality
# task: summary
import LIB

def summary(a):
    return {"mean": [LIB.F[mean](a)], "spread": [LIB.F[std](a)]}
