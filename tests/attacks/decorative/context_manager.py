# rule: a call inside a context manager is no use
# task: mean
# kinds: not_from_library
import LIB
from contextlib import contextmanager

@contextmanager
def library(a):
    yield LIB.F[mean](a)

def average(a):
    with library(a) as _:
        return sum(a) / len(a)
