# rule: a decorator that calls the library and drops the result is no use
# task: mean
# kinds: not_from_library
import functools
import LIB

def uses_library(f):
    @functools.wraps(f)
    def inner(a):
        LIB.F[mean](a)
        return f(a)
    return inner

@uses_library
def average(a):
    return sum(a) / len(a)
