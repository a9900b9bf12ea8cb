# bank: honey_without_the_jar
# kinds: wrong_type
import LIB
import operator

def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    for name in dir(LIB):
        if name[0] == "_":
            continue
        f = operator.attrgetter(name)(LIB)
        try:
            r = f(own)
            if r.tolist() == own and not (f is LIB.F[array]):
                return r
        except Exception:
            pass
    return None
