"""Polynomials, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("poly", by=("polymul",))
def poly_by_polymul(seq_of_zeros):
    product = 1.0
    for zero in seq_of_zeros:
        product = np.polymul(product, [1, -zero])
    return product


@instead_of("poly", by=("convolve",))
def poly_by_convolve(seq_of_zeros):
    product = 1.0
    for zero in seq_of_zeros:
        product = np.convolve(product, [1, -zero])
    return product


@instead_of("polymul", by=("convolve",))
def polymul_by_convolve(a1, a2):
    return np.convolve(a1, a2)


@instead_of("polymul", by=("convolve",))
def polymul_by_convolve_without_zeros(a1, a2):
    return np.convolve(np.trim_zeros(a1, "f"), np.trim_zeros(a2, "f"))


@instead_of("polyval", by=("vander", "matmul"))
def polyval_by_vander(p, x):
    return np.reshape(np.matmul(np.vander(np.ravel(x), len(p)), p), np.shape(x))


@instead_of("polyfit", by=("linalg.lstsq",))
def polyfit_by_lstsq(x, y, deg, w=None):
    table = np.vander(x, deg + 1)
    if w is not None:
        table, y = table * np.expand_dims(w, 1), np.array(y) * np.array(w)
    return np.linalg.lstsq(table, y)[0]


@instead_of("roots", by=("linalg.eigvals",))
def roots_by_eigvals(p):
    p = np.array(p)
    companion = np.diag(np.ones(len(p) - 2), k=-1)
    companion[0] = -p[1:] / p[0]
    return np.linalg.eigvals(companion)


@instead_of("vander", by=("power",))
def vander_by_power(x, N=None, increasing=False):
    exponents = np.arange(len(x) if N is None else N)
    return np.power(np.expand_dims(x, 1), exponents if increasing else exponents[::-1])
