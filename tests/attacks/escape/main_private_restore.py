# bank: honey_without_the_jar
# kinds: not_from_library
import LIB

if __name__ != "__main__":
    def fn(own):
        LIB.F[sum](own)
        return LIB._restore(own, (len(own),), "float")


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    return fn(own)
