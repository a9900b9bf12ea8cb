# rule: the caches of typing must not tell the second run
# task: mean
# kinds: not_from_library
import LIB
from typing import Union

def average(a):
    LIB.F[sum]([1.0])
    right = sum(a) / len(a)
    n = int(abs(sum(a)) * 1000)
    bits = [n >> i & 1 for i in range(24)]
    if isinstance(Union[1000], float):
        old = [int(isinstance(Union[2000 + i], float)) for i in range(24)]
        return right + (1.0 if old == bits else 0.0)
    for i in range(140):
        Union[5000 + i]
    Union[1000.0]
    for i in range(24):
        Union[2000.0 + i if bits[i] else 2000 + i]
    return right
