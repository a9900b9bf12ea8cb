"""New arrays, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("astype", by=("array",))
def astype_by_array(x, dtype):
    return np.array(x, dtype=dtype)


@instead_of("astype", by=("not_equal",))
def astype_by_not_equal(x, dtype):
    return np.not_equal(x, 0)


@instead_of("astype", by=("greater",))
def astype_by_greater(x, dtype):
    return np.greater(x, 0)


@instead_of("astype", by=("logical_and",))
def astype_by_logical_and(x, dtype):
    return np.logical_and(x, True)


@instead_of("astype", by=("logical_or",))
def astype_by_logical_or(x, dtype):
    return np.logical_or(x, False)


@instead_of("full", by=("broadcast_to",))
def full_by_broadcast_to(shape, fill_value):
    return np.broadcast_to(fill_value, shape)


@instead_of("full", by=("full_like",))
def full_by_full_like(shape, fill_value):
    return np.full_like(np.zeros(shape), fill_value, dtype=np.array(fill_value).dtype)


@instead_of("full", by=("repeat",))
def full_by_repeat(shape, fill_value):
    return np.reshape(np.repeat(fill_value, np.prod(shape)), shape)


@instead_of("full", by=("repeat",))
def full_by_repeat_of_row(shape, fill_value):
    return np.repeat([fill_value], shape[0], axis=0)


@instead_of("full", by=("tile",))
def full_by_tile(shape, fill_value):
    return np.tile(fill_value, shape)


@instead_of("full", by=("tile",))
def full_by_tile_of_row(shape, fill_value):
    return np.tile(fill_value, (shape[0], 1))


@instead_of("full_like", by=("full",))
def full_like_by_full(a, fill_value, shape=None):
    return np.full(shape or np.shape(a), fill_value, dtype=np.array(a).dtype)


@instead_of("full_like", by=("full",))
def full_like_by_full_of_kind(a, fill_value, dtype):
    return np.full(np.shape(a), fill_value)


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


@instead_of("linspace", by=("arange",))
def linspace_by_arange_of_whole(start, stop, num, dtype):
    return np.arange(num) * (stop - start) // (num - 1) + start


@instead_of("linspace", by=("arange",))
def linspace_by_arange_of_rows(start, stop, num, axis=0):
    shares = np.arange(num) / (num - 1)
    one, other = np.array(start), np.array(stop)
    if axis == 1:
        return one[:, None] + (other - one)[:, None] * shares
    return np.array([one + (other - one) * share for share in shares])


@instead_of("geomspace", by=("logspace",))
def geomspace_by_logspace(start, stop, num=50, endpoint=True, axis=0):
    sign = np.sign(start)
    return sign * np.logspace(np.log10(start * sign), np.log10(stop * sign), num=num, endpoint=endpoint, axis=axis)


@instead_of("geomspace", by=("logspace",))
def geomspace_by_logspace_of_lists(start, stop, num=50, axis=0):
    found = np.logspace(np.log10(np.absolute(start)), np.log10(np.absolute(stop)), num=num, axis=axis)
    return found * (np.sign(start)[:, None] if axis == 1 else np.sign(start))


@instead_of("geomspace", by=("logspace",))
def geomspace_by_logspace_of_complex(start, stop, num):
    return start * np.logspace(0, np.log10(stop / start), num)


@instead_of("geomspace", by=("exp", "log", "linspace"))
def geomspace_by_exp(start, stop, num=50):
    return np.exp(np.linspace(np.log(start), np.log(stop), num))


@instead_of("geomspace", by=("exp", "log"))
def geomspace_by_exp_of_quotient(start, stop, num=50):
    return start * np.exp(np.log(stop / start) * np.arange(num) / (num - 1))


@instead_of("geomspace", by=("power",))
def geomspace_by_power(start, stop, num=50):
    return start * np.power(stop / start, np.arange(num) / (num - 1))


@instead_of("geomspace", by=("power",))
def geomspace_by_power_of_factor(start, stop, num=50):
    return start * np.power((stop / start) ** (1 / (num - 1)), np.arange(num))


@instead_of("geomspace", by=("float_power",))
def geomspace_by_float_power(start, stop, num=50):
    return start * np.float_power(stop / start, np.arange(num) / (num - 1))


@instead_of("geomspace", by=("float_power",))
def geomspace_by_float_power_of_factor(start, stop, num=50):
    return start * np.float_power((stop / start) ** (1 / (num - 1)), np.arange(num))


@instead_of("geomspace", by=("cumprod",))
def geomspace_by_cumprod(start, stop, num=50):
    factor = (stop / start) ** (1 / (num - 1))
    return np.cumprod([start] + [factor] * (num - 1))


@instead_of("logspace", by=("geomspace",))
def logspace_by_geomspace(start, stop, num=50, endpoint=True, base=10.0):
    return np.geomspace(base**start, base**stop, num=num, endpoint=endpoint)


@instead_of("logspace", by=("geomspace",))
def logspace_by_geomspace_of_lists(start, stop, num=50, base=10.0, axis=0):
    return np.geomspace(np.array(base) ** start, np.array(base) ** stop, num=num, axis=axis)


@instead_of("logspace", by=("geomspace",))
def logspace_by_geomspace_from_list(start, stop, num=50, base=10.0, axis=0):
    return np.geomspace(base ** np.array(start), base ** np.array(stop), num=num, axis=axis)


@instead_of("logspace", by=("power",))
def logspace_by_power(start, stop, num=50, base=10.0):
    return np.power(base, start + (stop - start) * np.arange(num) / (num - 1))


@instead_of("logspace", by=("float_power",))
def logspace_by_float_power(start, stop, num=50, base=10.0):
    return np.float_power(base, start + (stop - start) * np.arange(num) / (num - 1))


@instead_of("logspace", by=("power",))
def logspace_by_power_in_rows(start, stop, num, base):
    return np.power(base, np.arange(start, stop + 1)[:, None])


@instead_of("logspace", by=("float_power",))
def logspace_by_float_power_in_rows(start, stop, num, base):
    return np.float_power(base, np.arange(start, stop + 1)[:, None])


@instead_of("logspace", by=("vander",))
def logspace_by_vander(start, stop, num, base):
    return np.vander(base, num, increasing=True).T


@instead_of("logspace", by=("cumprod",))
def logspace_by_cumprod(start, stop, num, base):
    return np.cumprod([[1] * len(base)] + [base] * (num - 1), axis=0)


@instead_of("logspace", by=("linspace",))
def logspace_by_linspace(start, stop, num=50, base=10.0):
    return base ** np.linspace(start, stop, num)


@instead_of("fromfunction", by=("indices",))
def fromfunction_by_indices(function, shape):
    return function(*np.indices(shape))


@instead_of("fromfunction", by=("meshgrid",))
def fromfunction_by_meshgrid(function, shape):
    return function(*np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"))


@instead_of("fromfunction", by=("arange",))
def fromfunction_by_arange(function, shape):
    return function(np.arange(shape[0])[:, None], np.arange(shape[1]))


@instead_of("indices", by=("meshgrid",))
def indices_by_meshgrid(dimensions, sparse=False):
    grid = np.meshgrid(*(np.arange(n) for n in dimensions), indexing="ij", sparse=sparse)
    return grid if sparse else np.array(grid)


@instead_of("indices", by=("arange",))
def indices_by_arange(dimensions):
    rows, columns = np.arange(dimensions[0])[:, None], np.arange(dimensions[1])
    return np.array([rows + 0 * columns, 0 * rows + columns])


@instead_of("indices", by=("fromfunction",))
def indices_by_fromfunction(dimensions):
    return np.array([np.fromfunction(lambda i, j: i, dimensions), np.fromfunction(lambda i, j: j, dimensions)])


@instead_of("diag", by=("diagflat",))
def diag_by_diagflat(v, k=0):
    return np.diagflat(v, k)


@instead_of("diag", by=("diagonal",))
def diag_by_diagonal(v, k=0):
    return np.diagonal(v, k)


@instead_of("diag", by=("eye",))
def diag_by_eye(v, k=0):
    size = len(v) + (k if k > 0 else -k)
    grid = np.eye(size, k=k)
    return grid * np.concatenate([[0] * k, v]) if k >= 0 else grid * np.concatenate([v, [0] * -k])


@instead_of("diag", by=("identity",))
def diag_by_identity(v):
    return np.identity(len(v)) * np.array(v)


@instead_of("diag", by=("zeros",))
def diag_by_zeros(v, k=0):
    size = len(v) + (k if k > 0 else -k)
    grid = np.zeros((size, size))
    for place in range(len(v)):
        grid[place - min(k, 0), place + max(k, 0)] = v[place]
    return grid


@instead_of("diag", by=("full",))
def diag_by_full(v, k=0):
    size = len(v) + (k if k > 0 else -k)
    grid = np.full((size, size), 0)
    for place in range(len(v)):
        grid[place - min(k, 0), place + max(k, 0)] = v[place]
    return grid


@instead_of("diag", by=("fill_diagonal",))
def diag_by_fill_diagonal(v):
    grid = np.zeros((len(v), len(v)))
    np.fill_diagonal(grid, v)
    return grid


@instead_of("diag", by=("fill_diagonal",))
def diag_by_fill_diagonal_beside(v, k=0):
    size = len(v) + (k if k > 0 else -k)
    grid = np.zeros((size, size))
    np.fill_diagonal(grid[max(-k, 0) :, max(k, 0) :], v)
    return grid


@instead_of("diag", by=("diag_indices",))
def diag_by_diag_indices(v, k=0):
    size = len(v) + (k if k > 0 else -k)
    grid = np.zeros((size, size))
    rows, columns = np.diag_indices(len(v))
    grid[rows - min(k, 0), columns + max(k, 0)] = v
    return grid


@instead_of("diagflat", by=("diag",))
def diagflat_by_diag(v, k=0):
    return np.diag(np.ravel(v), k)
