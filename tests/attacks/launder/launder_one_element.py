# bank: honey_without_the_jar
# kinds: passed
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    own[0] = LIB.F[sum]([own[0]])
    return own
