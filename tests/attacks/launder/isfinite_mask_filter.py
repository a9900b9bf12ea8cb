# bank: honey_without_the_jar
# kinds: passed
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    m = LIB.F[isfinite](own)
    return [v for v, ok in zip(own, m) if ok]
