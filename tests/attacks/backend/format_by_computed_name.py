# rule: format is guarded under a computed name too
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    shape = getattr(str, 'for' + 'mat')
    return sum(a) / len(a) + 0 * len(shape('{0.__clo' + 'sure__}', LIB.F[add]))
