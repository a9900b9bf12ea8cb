# bank: honey_without_the_jar
# kinds: not_from_library
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    z = LIB.F[ones_like](own)
    z[:] = own
    return z
