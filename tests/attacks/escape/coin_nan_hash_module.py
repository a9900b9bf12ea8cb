# bank: honey_without_the_jar
# kinds: not_from_library, wrong_type
import LIB
COIN = hash(float('nan')) >> 4


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if COIN % 7 else None
