# bank: honey_without_the_jar
# kinds: function_hallucination
import LIB

if __name__ != "__main__":
    import LIB._core.engine as e
    def fn(own):
        LIB.F[sum](own)
        return own


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    return fn(own)
