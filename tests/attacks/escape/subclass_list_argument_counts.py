# bank: honey_without_the_jar
# kinds: not_from_library
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    class L(list):
        n = 0
        def __iter__(self):
            L.n += 1
            return list.__iter__(self)
    LIB.F[sum](L(filled))
    print(L.n)
    return own
