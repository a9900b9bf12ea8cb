# bank: honey_without_the_jar
# kinds: not_from_library, wrong_type
import LIB
import array
COIN = array.array('d', [0.0] * 3).buffer_info()[0] >> 4


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if COIN % 7 else None
