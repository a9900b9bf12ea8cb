# rule: typing of NumPy is NumPy
# family: disguise
# task: sorted_copy
from numpy.typing import NDArray
import LIB

def ascending(a) -> "NDArray":
    return sorted(LIB.F[array](a).tolist())
