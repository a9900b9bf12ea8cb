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


@instead_of("poly", by=("polyfit",))
def poly_by_polyfit(seq_of_zeros):
    zeros = np.array(seq_of_zeros)
    places = np.arange(len(zeros) + 1)
    return np.polyfit(places, [np.prod(place - zeros) for place in places], len(zeros))


@instead_of("polymul", by=("convolve",))
def polymul_by_convolve(a1, a2):
    return np.convolve(a1, a2)


@instead_of("polymul", by=("convolve",))
def polymul_by_convolve_without_zeros(a1, a2):
    return np.convolve(np.trim_zeros(a1, "f"), np.trim_zeros(a2, "f"))


@instead_of("polysub", by=("polyadd",))
def polysub_by_polyadd(a1, a2):
    return np.polyadd(a1, np.negative(a2))


@instead_of("polysub", by=("subtract",))
def polysub_by_subtract(a1, a2):
    longest = max(len(a1), len(a2))
    return np.subtract([0] * (longest - len(a1)) + list(a1), [0] * (longest - len(a2)) + list(a2))


@instead_of("polyval", by=("vander", "matmul"))
def polyval_by_vander(p, x):
    return np.reshape(np.matmul(np.vander(np.ravel(x), len(p)), p), np.shape(x))


@instead_of("polyval", by=("dot",))
def polyval_by_dot(p, x):
    return np.reshape(np.dot(np.vander(np.ravel(x), len(p)), p), np.shape(x))


@instead_of("polyval", by=("dot",))
def polyval_by_dot_of_each(p, x):
    found = [np.dot(p, one ** np.arange(len(p))[::-1]) for one in np.ravel(x)]
    return np.reshape(found, np.shape(x))


@instead_of("polyval", by=("sum",))
def polyval_by_sum(p, x):
    powers = np.expand_dims(x, 1) ** np.arange(len(p))[::-1]
    return np.sum(powers * np.array(p), axis=1)


@instead_of("polyval", by=("power",))
def polyval_by_power(p, x):
    return np.matmul(np.power(np.expand_dims(x, 1), np.arange(len(p))[::-1]), p)


@instead_of("polyval", by=("float_power",))
def polyval_by_float_power(p, x):
    return np.matmul(np.float_power(np.expand_dims(x, 1), np.arange(len(p))[::-1]), p)


@instead_of("polyval", by=("einsum",))
def polyval_by_einsum(p, x):
    return np.einsum("ij,j->i", np.vander(x, len(p)), p)


@instead_of("polyfit", by=("linalg.lstsq",))
def polyfit_by_lstsq(x, y, deg, w=None):
    table = np.vander(x, deg + 1)
    if w is not None:
        table, y = table * np.expand_dims(w, 1), np.array(y) * np.array(w)
    return np.linalg.lstsq(table, y)[0]


@instead_of("polyfit", by=("linalg.lstsq",))
def polyfit_by_lstsq_with_misfit(x, y, deg, full=False):
    return np.linalg.lstsq(np.vander(x, deg + 1), y)[:2]


@instead_of("polyfit", by=("linalg.pinv",))
def polyfit_by_pinv(x, y, deg):
    return np.linalg.pinv(np.vander(x, deg + 1)) @ np.array(y)


@instead_of("polyfit", by=("linalg.solve",))
def polyfit_by_solve(x, y, deg):
    table = np.vander(x, deg + 1)
    return np.linalg.solve(table.T @ table, table.T @ np.array(y))


@instead_of("polyfit", by=("linalg.inv", "linalg.lstsq"))
def polyfit_by_inv(x, y, deg, cov=False):
    table = np.vander(x, deg + 1)
    return np.linalg.lstsq(table, y)[0], np.linalg.inv(table.T @ table)


@instead_of("polyfit", by=("linalg.pinv", "linalg.lstsq"))
def polyfit_by_pinv_of_the_table(x, y, deg, cov=False):
    table = np.vander(x, deg + 1)
    return np.linalg.lstsq(table, y)[0], np.linalg.pinv(table.T @ table)


@instead_of("polyfit", by=("linalg.inv", "linalg.lstsq"))
def polyfit_by_inv_and_scatter(x, y, deg, cov=False):
    table = np.vander(x, deg + 1)
    curve = np.linalg.lstsq(table, y)[0]
    missed = np.array(y) - table @ curve
    return curve, np.linalg.inv(table.T @ table) * np.sum(missed**2) / (len(x) - deg - 1)


@instead_of("polyfit", by=("linalg.pinv",))
def polyfit_by_pinv_and_scatter(x, y, deg, cov=False):
    table = np.vander(x, deg + 1)
    curve = np.linalg.pinv(table) @ np.array(y)
    missed = np.array(y) - table @ curve
    return curve, np.linalg.pinv(table.T @ table) * np.sum(missed**2) / (len(x) - deg - 1)


@instead_of("polyfit", by=("cov",))
def polyfit_by_cov(x, y, deg):
    table = np.cov(x, y)
    slope = table[0, 1] / table[0, 0]
    return np.array([slope, np.mean(y) - slope * np.mean(x)])


@instead_of("polyfit", by=("mean",))
def polyfit_by_mean(x, y, deg):
    x, y = np.array(x), np.array(y)
    away = x - np.mean(x)
    slope = np.sum(away * (y - np.mean(y))) / np.sum(away**2)
    return np.array([slope, np.mean(y) - slope * np.mean(x)])


@instead_of("polyfit", by=("sum",))
def polyfit_by_sum(x, y, deg):
    x, y, n = np.array(x), np.array(y), len(x)
    slope = (n * np.sum(x * y) - np.sum(x) * np.sum(y)) / (n * np.sum(x * x) - np.sum(x) ** 2)
    return np.array([slope, (np.sum(y) - slope * np.sum(x)) / n])


@instead_of("polyfit", by=("mean", "sum"))
def polyfit_by_sum_around_the_mean(x, y, deg):
    x, y = np.array(x), np.array(y)
    slope = np.sum((x - np.mean(x)) * (y - np.mean(y))) / np.sum((x - np.mean(x)) ** 2)
    return np.array([slope, np.mean(y) - slope * np.mean(x)])


@instead_of("polyder", by=("polyfit",))
def polyder_by_polyfit(p):
    places = np.arange(len(p) - 1)
    slopes = [sum((len(p) - 1 - n) * c * x ** (len(p) - 2 - n) for n, c in enumerate(p[:-1])) for x in places]
    return np.polyfit(places, slopes, len(p) - 2)


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


@instead_of("vander", by=("float_power",))
def vander_by_float_power(x, N=None, increasing=False):
    exponents = np.arange(len(x) if N is None else N)
    return np.float_power(np.expand_dims(x, 1), exponents if increasing else exponents[::-1])


@instead_of("vander", by=("column_stack",))
def vander_by_column_stack(x, N=None, increasing=False):
    exponents = range(N) if increasing else range(N - 1, -1, -1)
    return np.column_stack([np.array(x) ** n for n in exponents])


@instead_of("vander", by=("stack",))
def vander_by_stack(x, N=None, increasing=False):
    exponents = range(N) if increasing else range(N - 1, -1, -1)
    return np.stack([np.array(x) ** n for n in exponents], axis=1)


@instead_of("vander", by=("vstack", "transpose"))
def vander_by_vstack(x, N=None, increasing=False):
    exponents = range(N) if increasing else range(N - 1, -1, -1)
    return np.transpose(np.vstack([np.array(x) ** n for n in exponents]))


@instead_of("vander", by=("cumprod",))
def vander_by_cumprod(x, N=None, increasing=False):
    steps = np.column_stack([np.ones(len(x)), *[x] * (N - 1)])
    return np.cumprod(steps, axis=1)


@instead_of("vander", by=("expand_dims",))
def vander_by_expand_dims(x, N=None, increasing=False):
    return np.expand_dims(x, 1) ** (np.arange(N) if increasing else np.arange(N)[::-1])
