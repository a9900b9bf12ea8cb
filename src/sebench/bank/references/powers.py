"""Powers and roots, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("sqrt", by=("power",))
def sqrt_by_power(x, dtype=None):
    return np.power(x if dtype is None else np.array(x, dtype=dtype), 0.5)
