"""New arrays, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("full", by=("broadcast_to",))
def full_by_broadcast_to(shape, fill_value):
    return np.broadcast_to(fill_value, shape)


@instead_of("full", by=("full_like",))
def full_by_full_like(shape, fill_value):
    return np.full_like(np.zeros(shape), fill_value, dtype=np.array(fill_value).dtype)


@instead_of("full_like", by=("full",))
def full_like_by_full(a, fill_value, shape=None):
    return np.full(shape or np.shape(a), fill_value, dtype=np.array(a).dtype)


@instead_of("full_like", by=("ones_like",))
def full_like_by_ones_like(a, fill_value, dtype=None):
    return np.ones_like(a, dtype=dtype) * np.array(fill_value)


@instead_of("full_like", by=("ones_like",))
def full_like_by_ones_like_of_whole(a, fill_value, shape=None):
    ones = np.ones_like(a, shape=shape)
    return ones * np.array(fill_value, dtype=ones.dtype)


@instead_of("linspace", by=("arange",))
def linspace_by_arange(start, stop, num=50, endpoint=True, retstep=False):
    step = (stop - start) / (num - 1 if endpoint else num)
    places = start + step * np.arange(num)
    return (places, step) if retstep else places


@instead_of("linspace", by=("arange",))
def linspace_by_arange_of_shares(start, stop, num=50, endpoint=True):
    return start + (stop - start) * (np.arange(num) / (num - 1 if endpoint else num))


@instead_of("geomspace", by=("logspace",))
def geomspace_by_logspace(start, stop, num=50, endpoint=True, axis=0):
    sign = np.sign(start)
    return sign * np.logspace(np.log10(start * sign), np.log10(stop * sign), num=num, endpoint=endpoint, axis=axis)


@instead_of("geomspace", by=("logspace",))
def geomspace_by_logspace_of_lists(start, stop, num=50, axis=0):
    found = np.logspace(np.log10(np.absolute(start)), np.log10(np.absolute(stop)), num=num, axis=axis)
    return found * (np.sign(start)[:, None] if axis == 1 else np.sign(start))


@instead_of("geomspace", by=("exp", "log", "linspace"))
def geomspace_by_exp(start, stop, num=50):
    return np.exp(np.linspace(np.log(start), np.log(stop), num))


@instead_of("geomspace", by=("power",))
def geomspace_by_power(start, stop, num=50):
    return start * np.power(stop / start, np.arange(num) / (num - 1))


@instead_of("geomspace", by=("power",))
def geomspace_by_power_of_factor(start, stop, num=50):
    return start * np.power((stop / start) ** (1 / (num - 1)), np.arange(num))


@instead_of("logspace", by=("geomspace",))
def logspace_by_geomspace_of_lists(start, stop, num=50, base=10.0, axis=0):
    return np.geomspace(np.array(base) ** start, np.array(base) ** stop, num=num, axis=axis)


@instead_of("logspace", by=("geomspace",))
def logspace_by_geomspace_from_list(start, stop, num=50, base=10.0, axis=0):
    return np.geomspace(base ** np.array(start), base ** np.array(stop), num=num, axis=axis)


@instead_of("indices", by=("meshgrid",))
def indices_by_meshgrid(dimensions, sparse=False):
    grid = np.meshgrid(*(np.arange(n) for n in dimensions), indexing="ij", sparse=sparse)
    return grid if sparse else np.array(grid)


@instead_of("diag", by=("diagflat",))
def diag_by_diagflat(v, k=0):
    return np.diagflat(v, k)


@instead_of("diag", by=("eye",))
def diag_by_eye(v, k=0):
    size = len(v) + (k if k > 0 else -k)
    grid = np.eye(size, k=k)
    return grid * np.concatenate([[0] * k, v]) if k >= 0 else grid * np.concatenate([v, [0] * -k])


@instead_of("diagflat", by=("diag",))
def diagflat_by_diag(v, k=0):
    return np.diag(np.ravel(v), k)
