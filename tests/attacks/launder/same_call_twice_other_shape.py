# bank: honey_without_the_jar
# kinds: passed
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    a = LIB.F[negative](own).tolist()
    b = [LIB.F[negative]([v]).tolist()[0] for v in own]
    return own if a == b else None
