# rule: an assertion about the type of a result is no use
# task: distinct
# kinds: not_from_library
import LIB

def distinct(a):
    assert isinstance(LIB.F[unique](a), LIB.ARRAY)
    return sorted(set(a))
