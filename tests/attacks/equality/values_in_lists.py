# rule: [x] in a dict is not x
# task: summary
# kinds: wrong_shape
import LIB

def summary(a):
    return {"mean": [LIB.F[mean](a)], "spread": [LIB.F[std](a)]}
