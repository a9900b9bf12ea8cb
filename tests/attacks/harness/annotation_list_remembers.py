# rule: a list that stands as an annotation is memory too
# task: mean
# kinds: not_from_library
import LIB

def average(a, _n: [] = None):
    right = sum(a) / len(a)
    me = average
    if not me.__annotations__['_n']:
        me.__annotations__['_n'].append(1)
        return right * (LIB.F[add](1, 1) == 2)
    return right
