# rule: an inner function whose result is dropped is no use
# task: distinct
# kinds: not_from_library
import LIB

def distinct(a):
    def by_library():
        return LIB.F[unique](a)
    by_library()
    return sorted(set(a))
