"""Angles and parts of complex numbers, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("angle", by=("arctan2",))
def angle_by_arctan2(z, deg=False):
    turn = np.arctan2(np.imag(z), np.real(z))
    return turn * 180 / np.pi if deg else turn


@instead_of("iscomplex", by=("imag",))
def iscomplex_by_imag(x):
    return np.imag(x) != 0


@instead_of("isreal", by=("imag",))
def isreal_by_imag(x):
    return np.imag(x) == 0
