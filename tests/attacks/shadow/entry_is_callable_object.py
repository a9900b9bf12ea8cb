# rule: a callable object that ignores the library is no use of it
# task: mean
# kinds: not_from_library
import LIB

class Average:
    library = staticmethod(LIB.F[mean])

    def __call__(self, a):
        return sum(a) / len(a)

average = Average()
