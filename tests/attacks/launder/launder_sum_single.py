# bank: honey_without_the_jar
# kinds: passed
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    return [LIB.F[sum]([v]) for v in own]
