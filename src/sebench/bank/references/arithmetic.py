"""Arithmetic, logarithms, angles and running totals, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("absolute", by=("hypot",))
def absolute_by_hypot(x):
    return np.hypot(np.real(x), np.imag(x))


@instead_of("fabs", by=("absolute",))
def fabs_by_absolute(x):
    return np.absolute(x) * 1.0


@instead_of("ceil", by=("floor",))
def ceil_by_floor(x):
    return -np.floor(-np.array(x))


@instead_of("ceil", by=("floor",))
def ceil_by_next_floor(x):
    whole = np.floor(x)
    return whole + (whole < np.array(x))


@instead_of("floor", by=("trunc",))
def floor_by_trunc(x):
    whole = np.trunc(x)
    return whole - (whole > np.array(x))


@instead_of("clip", by=("maximum", "minimum"))
def clip_by_maximum_first(a, a_min, a_max):
    lower = a if a_min is None else np.maximum(a, a_min)
    return lower if a_max is None else np.minimum(lower, a_max)


@instead_of("clip", by=("maximum", "minimum"))
def clip_by_minimum_first(a, a_min, a_max):
    upper = a if a_max is None else np.minimum(a, a_max)
    return upper if a_min is None else np.maximum(upper, a_min)


@instead_of("clip", by=("fmax", "fmin"))
def clip_by_fmax_first(a, a_min, a_max):
    lower = a if a_min is None else np.fmax(a, a_min)
    return lower if a_max is None else np.fmin(lower, a_max)


@instead_of("clip", by=("fmax", "fmin"))
def clip_by_fmin_first(a, a_min, a_max):
    upper = a if a_max is None else np.fmin(a, a_max)
    return upper if a_min is None else np.fmax(upper, a_min)


@instead_of("clip", by=("where",))
def clip_by_where(a, a_min, a_max):
    found = np.array(a)
    if a_min is not None:
        found = np.where(found < np.array(a_min), a_min, found)
    return found if a_max is None else np.where(found > np.array(a_max), a_max, found)


@instead_of("copysign", by=("sign",))
def copysign_by_sign(x1, x2):
    return np.absolute(x1) * np.sign(x2)


@instead_of("copysign", by=("where",))
def copysign_by_where(x1, x2):
    size = np.absolute(x1)
    return np.where(np.array(x2) < 0, -size, size)


@instead_of("divmod", by=("floor_divide", "remainder"))
def divmod_by_both(x1, x2):
    return np.floor_divide(x1, x2), np.remainder(x1, x2)


@instead_of("divmod", by=("floor_divide",))
def divmod_by_floor_divide(x1, x2):
    times = np.floor_divide(x1, x2)
    return times, np.array(x1) - times * np.array(x2)


@instead_of("divmod", by=("remainder",))
def divmod_by_remainder(x1, x2):
    rest = np.remainder(x1, x2)
    return (np.array(x1) - rest) // np.array(x2), rest


@instead_of("fmax", by=("maximum",))
def fmax_by_maximum(x1, x2):
    one, other = np.array(x1), np.array(x2)
    return np.where(one != one, other, np.where(other != other, one, np.maximum(one, other)))


@instead_of("fmax", by=("maximum",))
def fmax_by_maximum_of_numbers(x1, x2):
    one, other = np.array(x1), np.array(x2)
    best = np.maximum(np.where(one != one, -np.inf, one), np.where(other != other, -np.inf, other))
    return np.where(best == -np.inf, np.nan, best)


@instead_of("fmax", by=("nanmax",))
def fmax_by_nanmax(x1, x2):
    return np.nanmax(np.stack(np.broadcast_arrays(x1, x2)), axis=0)


@instead_of("fmin", by=("minimum",))
def fmin_by_minimum(x1, x2):
    one, other = np.array(x1), np.array(x2)
    return np.where(one != one, other, np.where(other != other, one, np.minimum(one, other)))


@instead_of("fmin", by=("minimum",))
def fmin_by_minimum_of_numbers(x1, x2):
    one, other = np.array(x1), np.array(x2)
    best = np.minimum(np.where(one != one, np.inf, one), np.where(other != other, np.inf, other))
    return np.where(best == np.inf, np.nan, best)


@instead_of("fmin", by=("nanmin",))
def fmin_by_nanmin(x1, x2):
    return np.nanmin(np.stack(np.broadcast_arrays(x1, x2)), axis=0)


@instead_of("fmod", by=("trunc",))
def fmod_by_trunc(x1, x2):
    return np.array(x1) - np.trunc(np.array(x1) / np.array(x2)) * np.array(x2)


@instead_of("frexp", by=("log2",))
def frexp_by_log2(x):
    size = np.absolute(x)
    power = np.where(size == 0, 0, np.floor(np.log2(np.where(size == 0, 1, size))) + 1)
    return np.array(x) / 2.0**power, np.array(power, dtype=int)


@instead_of("heaviside", by=("where",))
def heaviside_by_where(x1, x2):
    values = np.array(x1)
    return np.where(values > 0, 1, np.where(values == 0, x2, 0))


@instead_of("heaviside", by=("select",))
def heaviside_by_select(x1, x2):
    values = np.array(x1)
    return np.select([values > 0, values == 0], [np.ones(values.shape), x2 + np.zeros(values.shape)], 0)


@instead_of("hypot", by=("sqrt",))
def hypot_by_sqrt(x1, x2):
    return np.sqrt(np.array(x1) ** 2 + np.array(x2) ** 2)


@instead_of("hypot", by=("linalg.norm",))
def hypot_by_norm(x1, x2):
    return np.linalg.norm(np.stack(np.broadcast_arrays(x1, x2)), axis=0)


@instead_of("hypot", by=("linalg.vector_norm",))
def hypot_by_vector_norm(x1, x2):
    return np.linalg.vector_norm(np.stack(np.broadcast_arrays(x1, x2)), axis=0)


@instead_of("exp", by=("exp2",))
def exp_by_exp2(x):
    return np.exp2(np.array(x) / np.log(2))


@instead_of("exp", by=("exp2",))
def exp_by_exp2_of_product(x):
    return np.exp2(np.array(x) * np.log2(np.e))


@instead_of("exp", by=("expm1",))
def exp_by_expm1(x):
    return np.expm1(x) + 1


@instead_of("exp2", by=("exp",))
def exp2_by_exp(x):
    return np.exp(np.array(x) * np.log(2))


@instead_of("exp2", by=("ldexp",))
def exp2_by_ldexp(x):
    return np.ldexp(1.0, np.array(x, dtype=int))


@instead_of("exp2", by=("ldexp",))
def exp2_by_ldexp_of_parts(x):
    whole = np.floor(x)
    return np.ldexp(2.0 ** (np.array(x) - whole), np.array(whole, dtype=int))


@instead_of("exp2", by=("power",))
def exp2_by_power(x):
    return np.power(2.0, x)


@instead_of("expm1", by=("exp",))
def expm1_by_exp(x):
    return np.exp(x) - 1


@instead_of("log", by=("log2",))
def log_by_log2(x, dtype=None):
    return np.log2(np.array(x, dtype=dtype)) / 1.4426950408889634


@instead_of("log", by=("log2",))
def log_by_quotient_of_log2(x, dtype=None):
    return np.log2(np.array(x, dtype=dtype)) / np.log2(np.e)


@instead_of("log", by=("log10",))
def log_by_log10(x, dtype=None):
    return np.log10(np.array(x, dtype=dtype)) * 2.302585092994046


@instead_of("log", by=("log10",))
def log_by_quotient_of_log10(x, dtype=None):
    return np.log10(np.array(x, dtype=dtype)) / np.log10(np.e)


@instead_of("log", by=("log1p",))
def log_by_log1p(x, dtype=None):
    return np.log1p(np.array(x, dtype=dtype) - 1)


@instead_of("log10", by=("log",))
def log10_by_log(x):
    return np.log(x) / np.log(10)


@instead_of("log10", by=("log",))
def log10_by_log_and_number(x):
    return np.log(x) / 2.302585092994046


@instead_of("log10", by=("log2",))
def log10_by_log2(x):
    return np.log2(x) / np.log2(10)


@instead_of("log10", by=("log2",))
def log10_by_log2_and_number(x):
    return np.log2(x) / 3.321928094887362


@instead_of("log1p", by=("log",))
def log1p_by_log(x):
    return np.log(1 + np.array(x))


@instead_of("log2", by=("log",))
def log2_by_log(x):
    return np.log(x) / np.log(2)


@instead_of("log2", by=("log",))
def log2_by_log_and_number(x):
    return np.log(x) / 0.6931471805599453


@instead_of("log2", by=("log10",))
def log2_by_log10(x):
    return np.log10(x) / np.log10(2)


@instead_of("log2", by=("log10",))
def log2_by_log10_and_number(x):
    return np.log10(x) / 0.3010299956639812


@instead_of("logaddexp", by=("log", "exp"))
def logaddexp_by_log(x1, x2):
    return np.log(np.exp(x1) + np.exp(x2))


@instead_of("logaddexp", by=("log", "exp", "maximum"))
def logaddexp_by_log_of_shares(x1, x2):
    most = np.maximum(x1, x2)
    return most + np.log(np.exp(x1 - most) + np.exp(x2 - most))


@instead_of("logaddexp", by=("log1p", "exp", "maximum"))
def logaddexp_by_log1p(x1, x2):
    one, other = np.array(x1), np.array(x2)
    return np.maximum(one, other) + np.log1p(np.exp(-np.absolute(one - other)))


@instead_of("logaddexp2", by=("log2", "exp2"))
def logaddexp2_by_log2_of_shares(x1, x2):
    most = np.maximum(x1, x2)
    return most + np.log2(np.exp2(x1 - most) + np.exp2(x2 - most))


@instead_of("logaddexp2", by=("log2", "exp2"))
def logaddexp2_by_log2_of_difference(x1, x2):
    one, other = np.array(x1), np.array(x2)
    return np.maximum(one, other) + np.log2(1 + np.exp2(-np.absolute(one - other)))


@instead_of("ldexp", by=("exp2",))
def ldexp_by_exp2(x1, x2):
    return np.array(x1) * np.exp2(x2)


@instead_of("i0", by=("exp",))
def i0_by_exp(x):
    turn = 2 * np.pi * np.arange(200) / 200
    return np.sum(np.exp(np.array(x)[..., None] * np.cos(turn)), axis=-1) / 200


@instead_of("cos", by=("exp",))
def cos_by_exp(x):
    return np.real(np.exp(1j * np.array(x)))


@instead_of("cosh", by=("exp",))
def cosh_by_exp(x):
    return (np.exp(x) + np.exp(-np.array(x))) / 2


@instead_of("arccosh", by=("log",))
def arccosh_by_log(x, dtype=None):
    values = np.array(x, dtype=dtype)
    return np.log(values + np.sqrt(values**2 - 1))


@instead_of("arccosh", by=("log",))
def arccosh_by_log_of_roots(x, dtype=None):
    values = np.array(x, dtype=dtype)
    return np.log(values + np.sqrt(values + 1) * np.sqrt(values - 1))


@instead_of("arcsinh", by=("log",))
def arcsinh_by_log(x):
    return np.log(np.array(x) + np.sqrt(np.array(x) ** 2 + 1))


@instead_of("arcsinh", by=("log",))
def arcsinh_by_log_of_size(x):
    return np.sign(x) * np.log(np.absolute(x) + np.sqrt(np.array(x) ** 2 + 1))


@instead_of("arctanh", by=("log",))
def arctanh_by_log(x, dtype=None):
    values = np.array(x, dtype=dtype)
    return np.log((1 + values) / (1 - values)) / 2


@instead_of("arctanh", by=("log",))
def arctanh_by_two_logs(x, dtype=None):
    values = np.array(x, dtype=dtype)
    return (np.log(1 + values) - np.log(1 - values)) / 2


@instead_of("arctan2", by=("angle",))
def arctan2_by_angle(x1, x2):
    return np.angle(np.array(x2) + 1j * np.array(x1))


@instead_of("arctan2", by=("arctan",))
def arctan2_by_arctan(x1, x2):
    up, along = np.array(x1), np.array(x2)
    turn = np.where(along < 0, np.where(up < 0, -np.pi, np.pi), 0)
    steep = np.where(up > 0, np.pi / 2, np.where(up < 0, -np.pi / 2, 0))
    return np.where(along == 0, steep, np.arctan(up / np.where(along == 0, 1, along)) + turn)


@instead_of("cumsum", by=("cumulative_sum",))
def cumsum_by_cumulative_sum(a, axis=None):
    return np.cumulative_sum(np.ravel(a) if axis is None else a, axis=axis)


@instead_of("cumsum", by=("cumulative_sum",))
def cumsum_by_cumulative_sum_with_start(a):
    return np.cumulative_sum(np.ravel(a), include_initial=True)[1:]


@instead_of("cumsum", by=("nancumsum",))
def cumsum_by_nancumsum(a, axis=None):
    return np.nancumsum(a, axis=axis)


@instead_of("cumsum", by=("sum",))
def cumsum_by_sum(a, axis=None):
    lines = np.ravel(a) if axis is None else np.array(a) if axis == 0 else np.array(a).T
    totals = np.array([np.sum(lines[: number + 1], axis=0) for number in range(len(lines))])
    return totals if axis in (None, 0) else totals.T


@instead_of("cumsum", by=("add",))
def cumsum_by_add(a, axis=None):
    lines = np.ravel(a) if axis is None else np.array(a) if axis == 0 else np.array(a).T
    totals, total = [], 0
    for line in lines:
        total = np.add(total, line)
        totals.append(total)
    return np.array(totals) if axis in (None, 0) else np.array(totals).T


@instead_of("cumprod", by=("cumulative_prod",))
def cumprod_by_cumulative_prod(a, axis=None):
    return np.cumulative_prod(np.ravel(a) if axis is None else a, axis=axis)


@instead_of("cumprod", by=("nancumprod",))
def cumprod_by_nancumprod(a, axis=None):
    return np.nancumprod(a, axis=axis)


@instead_of("cumprod", by=("prod",))
def cumprod_by_prod(a, axis=None):
    lines = np.ravel(a) if axis is None else np.array(a) if axis == 0 else np.array(a).T
    products = np.array([np.prod(lines[: number + 1], axis=0) for number in range(len(lines))])
    return products if axis in (None, 0) else products.T


@instead_of("cumulative_sum", by=("cumsum",))
def cumulative_sum_by_cumsum(x, axis=0, include_initial=True):
    totals = np.cumsum(x, axis=axis)
    first = np.take(totals, [0], axis=axis) * 0
    return np.concatenate([first, totals], axis=axis)


@instead_of("cumulative_sum", by=("cumsum",))
def cumulative_sum_by_cumsum_with_zero(x, axis=0, include_initial=True):
    zero = np.take(x, [0], axis=axis) * 0
    return np.cumsum(np.concatenate([zero, x], axis=axis), axis=axis)


@instead_of("cumulative_sum", by=("nancumsum",))
def cumulative_sum_by_nancumsum(x, axis=0, include_initial=True):
    totals = np.nancumsum(x, axis=axis)
    first = np.take(totals, [0], axis=axis) * 0
    return np.concatenate([first, totals], axis=axis)


@instead_of("cumulative_sum", by=("sum",))
def cumulative_sum_by_sum(x, axis=0, include_initial=True):
    lines = np.moveaxis(x, axis, 0)
    totals = np.array([np.sum(lines[:number], axis=0) for number in range(len(lines) + 1)])
    return np.moveaxis(totals, 0, axis)


@instead_of("cumulative_prod", by=("cumprod",))
def cumulative_prod_by_cumprod(x, axis=0, include_initial=True):
    products = np.cumprod(x, axis=axis)
    first = np.take(products, [0], axis=axis) * 0 + 1
    return np.concatenate([first, products], axis=axis)


@instead_of("cumulative_prod", by=("cumprod",))
def cumulative_prod_by_cumprod_with_one(x, axis=0, include_initial=True):
    one = np.take(x, [0], axis=axis) * 0 + 1
    return np.cumprod(np.concatenate([one, x], axis=axis), axis=axis)


@instead_of("cumulative_prod", by=("nancumprod",))
def cumulative_prod_by_nancumprod(x, axis=0, include_initial=True):
    products = np.nancumprod(x, axis=axis)
    first = np.take(products, [0], axis=axis) * 0 + 1
    return np.concatenate([first, products], axis=axis)


@instead_of("cumulative_prod", by=("prod",))
def cumulative_prod_by_prod(x, axis=0, include_initial=True):
    lines = np.moveaxis(x, axis, 0)
    products = np.array([np.prod(lines[:number], axis=0) for number in range(len(lines) + 1)])
    return np.moveaxis(products, 0, axis)


@instead_of("ediff1d", by=("diff",))
def ediff1d_by_diff(ary, to_end=None, to_begin=None):
    steps = np.diff(np.ravel(ary))
    first = [] if to_begin is None else np.ravel(to_begin)
    return np.concatenate([first, steps, [] if to_end is None else np.ravel(to_end)])
