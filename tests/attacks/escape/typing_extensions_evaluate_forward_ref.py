# bank: honey_without_the_jar
# kinds: raised
import LIB
import typing_extensions


def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    r = typing_extensions.evaluate_forward_ref(typing_extensions.ForwardRef("list"), globals={})
    LIB.F[sum](filled)
    return own
