# rule: an enum must not write its members into a module of the harness
# task: mean
# kinds: raised
import enum
import LIB

def same(flat, kind):
    return flat

class E(enum.Enum):
    _wrong_elements_ = 1

def average(a):
    LIB.F[sum](a)
    E.__module__ = 'sebench.judge.sandbox.poison'
    enum.global_enum(E)
    return sum(a) / len(a)
