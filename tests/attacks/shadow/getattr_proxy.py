# rule: a proxy around the library is not the library
# task: mean
# kinds: not_from_library
import LIB as _real

class Proxy:
    def __getattr__(self, name):
        getattr(_real, name)
        return lambda a: sum(a) / len(a)

LIB = Proxy()

def average(a):
    return LIB.F[mean](a)
