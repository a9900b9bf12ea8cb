# rule: a format string must not walk where getattr may not
# task: mean
# kinds: raised
import LIB

def average(a):
    LIB.F[add](1, 1)
    names = ''
    for i in range(5):
        names += ('{0.__clo' + 'sure__[%d]}' % i).format(LIB.F[add])
    return sum(a) / len(a) if names else 0.0
