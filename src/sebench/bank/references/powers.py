"""Powers and roots, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("power", by=("float_power",))
def power_by_float_power(x1, x2, dtype=float):
    return np.float_power(np.array(x1, dtype=dtype), x2)


@instead_of("power", by=("exp", "log"))
def power_by_exp(x1, x2, dtype=float):
    return np.exp(np.array(x2) * np.log(np.array(x1, dtype=dtype)))


@instead_of("sqrt", by=("power",))
def sqrt_by_power(x, dtype=None):
    return np.power(x if dtype is None else np.array(x, dtype=dtype), 0.5)
