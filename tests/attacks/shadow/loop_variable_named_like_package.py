# rule: a loop variable with the library's name is not the library
# task: mean
# kinds: not_from_library
import LIB
from types import SimpleNamespace

def average(a):
    for LIB in [SimpleNamespace(B[mean]=lambda v: sum(v) / len(v))]:
        return LIB.B[mean](a)
