# bank: honey_without_the_jar
# kinds: not_from_library, wrong_type
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if (id(filled) >> 4) % 40 else None
