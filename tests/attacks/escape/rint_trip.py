# bank: honey_without_the_jar
# kinds: not_from_library
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    return [LIB.F[floor](v) + (v - LIB.F[floor](v)) for v in own]
