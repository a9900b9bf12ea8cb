# rule: a second runtime is not started beside the first
# task: sorted_copy
# kinds: function_hallucination
from LIB._core.arrays import blank, furnish
import LIB

def ascending(a):
    made, read, write = blank("ARRAY", "LIB")
    one = object.__new__(made)
    write(one, sorted(LIB.F[array](a).tolist()))
    return read(one)
