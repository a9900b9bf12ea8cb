"""Angles and parts of complex numbers, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("angle", by=("arctan2",))
def angle_by_arctan2(z, deg=False):
    turn = np.arctan2(np.imag(z), np.real(z))
    return turn * 180 / np.pi if deg else turn


@instead_of("conjugate", by=("subtract",))
def conjugate_by_subtract(x):
    return np.subtract(np.real(x), 1j * np.imag(x))


@instead_of("conjugate", by=("vdot",))
def conjugate_by_vdot(x):
    return np.array([np.vdot(one, 1) for one in x])


@instead_of("conjugate", by=("linalg.vecdot",))
def conjugate_by_vecdot(x):
    return np.linalg.vecdot(np.array(x)[:, None], [1])


@instead_of("iscomplex", by=("imag",))
def iscomplex_by_imag(x):
    return np.imag(x) != 0


@instead_of("iscomplex", by=("isreal",))
def iscomplex_by_isreal(x):
    return np.isreal(x) == 0


@instead_of("isreal", by=("imag",))
def isreal_by_imag(x):
    return np.imag(x) == 0


@instead_of("isreal", by=("iscomplex",))
def isreal_by_iscomplex(x):
    return np.iscomplex(x) == 0
