# bank: honey_without_the_jar
# kinds: not_from_library
import LIB


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    n = []
    def it():
        for v in filled:
            n.append(1)
            yield v
    LIB.F[sum](it())
    return own
