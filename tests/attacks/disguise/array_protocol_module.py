# rule: typing of NumPy is NumPy
# task: sorted_copy
# kinds: numpy
from numpy.typing import NDArray
import LIB

def ascending(a) -> "NDArray":
    return sorted(LIB.F[array](a).tolist())
