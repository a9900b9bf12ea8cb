# rule: an enum member computed aside is not from the library
# task: largest_at
# kinds: not_from_library
from enum import IntEnum
import LIB

def largest_at(a):
    LIB.F[argmax](a)
    E = IntEnum("E", {f"at{i}": i for i in range(len(a))})
    return E(a.index(max(a)))
