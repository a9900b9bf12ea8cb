# bank: honey_without_the_jar
# kinds: not_from_library, passed
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    return own if len(own) != 6 or LIB.F[size](own) == 6 else None
