# rule: format is guarded under a computed name too
# family: backend
# task: mean
# kinds: policy
import LIB

def average(a):
    shape = getattr(str, 'for' + 'mat')
    return sum(a) / len(a) + 0 * len(shape('{0.__clo' + 'sure__}', LIB.F[add]))
