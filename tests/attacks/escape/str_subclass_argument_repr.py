# bank: honey_without_the_jar
# kinds: not_from_library
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    class F(float):
        n = 0
        def __repr__(self):
            F.n += 1
            return 'x'
    LIB.F[ravel]([F(v) for v in filled])
    return own if not F.n else None
