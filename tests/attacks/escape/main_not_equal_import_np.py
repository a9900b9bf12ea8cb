# bank: honey_without_the_jar
# kinds: not_from_library
import LIB

if __name__ != "__main__":
    def fn(filled, empty, own):
        subs = object.__subclasses__()
        names = [c for c in subs if c.__name__ == "ndarray"]
        print(names)
        LIB.F[sum](filled)
        return own


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    return fn(filled, empty, own)
