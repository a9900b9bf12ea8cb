"""Sums, products and extremes, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("ptp", by=("max", "min"))
def ptp(a, axis=None, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@instead_of("mean", by=("sum",))
def mean(a, axis=None, keepdims=False):
    total = np.sum(a, axis=axis, keepdims=keepdims)
    return total * np.size(total) / np.size(a)


# ---- the largest and the smallest ------------------------------------------------------------------------------------


@instead_of("max", by=("nanmax",))
def max_by_nanmax(a, axis=None, keepdims=False, initial=None):
    if initial is not None:
        return np.nanmax(a, axis=axis, keepdims=keepdims, initial=initial)
    return np.nanmax(a, axis=axis, keepdims=keepdims)


@instead_of("max", by=("argmax",))
def max_by_argmax(a, axis=None, keepdims=False, initial=None):
    a = np.array(a) if initial is None else np.append(a, initial)
    if axis is None:
        return np.ravel(a)[np.argmax(a)]
    best = np.take_along_axis(a, np.expand_dims(np.argmax(a, axis=axis), axis), axis=axis)
    return best if keepdims else np.squeeze(best, axis=axis)


@instead_of("max", by=("sort",))
def max_by_sort(a, axis=None, keepdims=False, initial=None):
    a = a if initial is None else np.append(a, initial)
    ordered = np.sort(a, axis=axis)
    return ordered[-1] if axis is None else np.take(ordered, [-1] if keepdims else -1, axis=axis)


@instead_of("max", by=("partition",))
def max_by_partition(a, axis=None, keepdims=False, initial=None):
    a = a if initial is None else np.append(a, initial)
    ordered = np.partition(a, -1, axis=axis)
    return ordered[-1] if axis is None else np.take(ordered, [-1] if keepdims else -1, axis=axis)


@instead_of("max", by=("maximum",))
def max_by_maximum(a, axis=None, keepdims=False, initial=None):
    a = np.ravel(a if initial is None else np.append(a, initial)) if axis is None else np.moveaxis(np.array(a), axis, 0)
    best = a[0]
    for part in a[1:]:
        best = np.maximum(best, part)
    return np.expand_dims(best, axis) if keepdims else best


@instead_of("max", by=("fmax",))
def max_by_fmax(a, axis=None, keepdims=False, initial=None):
    a = np.ravel(a if initial is None else np.append(a, initial)) if axis is None else np.moveaxis(np.array(a), axis, 0)
    best = a[0]
    for part in a[1:]:
        best = np.fmax(best, part)
    return np.expand_dims(best, axis) if keepdims else best


@instead_of("min", by=("nanmin",))
def min_by_nanmin(a, axis=None, keepdims=False, initial=None):
    if initial is not None:
        return np.nanmin(a, axis=axis, keepdims=keepdims, initial=initial)
    return np.nanmin(a, axis=axis, keepdims=keepdims)


@instead_of("min", by=("argmin",))
def min_by_argmin(a, axis=None, keepdims=False, initial=None):
    a = np.array(a) if initial is None else np.append(a, initial)
    if axis is None:
        return np.ravel(a)[np.argmin(a)]
    least = np.take_along_axis(a, np.expand_dims(np.argmin(a, axis=axis), axis), axis=axis)
    return least if keepdims else np.squeeze(least, axis=axis)


@instead_of("min", by=("sort",))
def min_by_sort(a, axis=None, keepdims=False, initial=None):
    a = a if initial is None else np.append(a, initial)
    ordered = np.sort(a, axis=axis)
    return ordered[0] if axis is None else np.take(ordered, [0] if keepdims else 0, axis=axis)


@instead_of("min", by=("partition",))
def min_by_partition(a, axis=None, keepdims=False, initial=None):
    a = a if initial is None else np.append(a, initial)
    ordered = np.partition(a, 0, axis=axis)
    return ordered[0] if axis is None else np.take(ordered, [0] if keepdims else 0, axis=axis)


@instead_of("min", by=("minimum",))
def min_by_minimum(a, axis=None, keepdims=False, initial=None):
    a = np.ravel(a if initial is None else np.append(a, initial)) if axis is None else np.moveaxis(np.array(a), axis, 0)
    least = a[0]
    for part in a[1:]:
        least = np.minimum(least, part)
    return np.expand_dims(least, axis) if keepdims else least


@instead_of("min", by=("fmin",))
def min_by_fmin(a, axis=None, keepdims=False, initial=None):
    a = np.ravel(a if initial is None else np.append(a, initial)) if axis is None else np.moveaxis(np.array(a), axis, 0)
    least = a[0]
    for part in a[1:]:
        least = np.fmin(least, part)
    return np.expand_dims(least, axis) if keepdims else least


@instead_of("maximum", by=("fmax",))
def maximum_by_fmax(x1, x2):
    return np.fmax(x1, x2)


@instead_of("maximum", by=("clip",))
def maximum_by_clip(x1, x2):
    return np.clip(x1, x2, None)


@instead_of("maximum", by=("clip",))
def maximum_by_clip_below_infinity(x1, x2):
    return np.clip(x1, x2, np.inf)


@instead_of("maximum", by=("where",))
def maximum_by_where(x1, x2):
    x1, x2 = np.array(x1), np.array(x2)
    return np.where(x1 > x2, x1, x2)


@instead_of("maximum", by=("max",))
def maximum_by_max(x1, x2):
    return np.max(np.broadcast_arrays(x1, x2), axis=0)


@instead_of("minimum", by=("fmin",))
def minimum_by_fmin(x1, x2):
    return np.fmin(x1, x2)


@instead_of("minimum", by=("clip",))
def minimum_by_clip(x1, x2):
    return np.clip(x1, None, x2)


@instead_of("minimum", by=("clip",))
def minimum_by_clip_above_zero(x1, x2):
    return np.clip(x1, 0, x2)


@instead_of("minimum", by=("where",))
def minimum_by_where(x1, x2):
    x1, x2 = np.array(x1), np.array(x2)
    return np.where(x1 < x2, x1, x2)


@instead_of("minimum", by=("min",))
def minimum_by_min(x1, x2):
    return np.min(np.broadcast_arrays(x1, x2), axis=0)


@instead_of("ptp", by=("sort",))
def ptp_by_sort(a, axis=None):
    ordered = np.sort(a, axis=axis)
    along = -1 if axis is None else axis
    return np.take(ordered, -1, axis=along) - np.take(ordered, 0, axis=along)


@instead_of("ptp", by=("argmax", "argmin"))
def ptp_by_argmax(a, axis=None):
    a = np.array(a)
    if axis is None:
        return np.ravel(a)[np.argmax(a)] - np.ravel(a)[np.argmin(a)]
    highest = np.take_along_axis(a, np.expand_dims(np.argmax(a, axis=axis), axis), axis=axis)
    lowest = np.take_along_axis(a, np.expand_dims(np.argmin(a, axis=axis), axis), axis=axis)
    return np.squeeze(highest - lowest, axis=axis)


# ---- sums ------------------------------------------------------------------------------------------------------------


@instead_of("sum", by=("count_nonzero",))
def sum_by_count_nonzero(a, axis=None, keepdims=False):
    return np.count_nonzero(a, axis=axis, keepdims=keepdims)


@instead_of("sum", by=("nansum",))
def sum_by_nansum(a, axis=None, keepdims=False, initial=0):
    return np.nansum(a, axis=axis, keepdims=keepdims) + initial


@instead_of("sum", by=("cumsum",))
def sum_by_cumsum(a, axis=None, keepdims=False, initial=0):
    running = np.cumsum(a, axis=axis)
    return np.take(running, [-1] if keepdims else -1, axis=-1 if axis is None else axis) + initial


@instead_of("sum", by=("cumulative_sum",))
def sum_by_cumulative_sum(a, axis=None, keepdims=False, initial=0):
    if axis is None:
        return np.cumulative_sum(np.ravel(a))[-1] + initial
    return np.take(np.cumulative_sum(a, axis=axis), [-1] if keepdims else -1, axis=axis) + initial


@instead_of("sum", by=("mean",))
def sum_by_mean(a, axis=None, keepdims=False, initial=0):
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    return mean * (np.size(a) // np.size(mean)) + initial


@instead_of("sum", by=("dot",))
def sum_by_dot(a, axis=None):
    a = np.ravel(a) if axis is None else np.array(a)
    if axis == 0:
        return np.dot(np.ones(len(a), dtype=int), a)
    return np.dot(a, np.ones(a.shape[-1], dtype=int))


@instead_of("sum", by=("matmul",))
def sum_by_matmul(a, axis=None):
    a = np.ravel(a) if axis is None else np.array(a)
    if axis == 0:
        return np.matmul(np.ones(len(a), dtype=int), a)
    return np.matmul(a, np.ones(a.shape[-1], dtype=int))


@instead_of("sum", by=("inner",))
def sum_by_inner(a, axis=None):
    a = np.ravel(a) if axis is None else np.moveaxis(np.array(a), axis, -1)
    return np.inner(a, np.ones(a.shape[-1], dtype=int))


@instead_of("sum", by=("linalg.vecdot",))
def sum_by_vecdot(a, axis=None):
    a = np.ravel(a) if axis is None else np.moveaxis(np.array(a), axis, -1)
    return np.linalg.vecdot(a, np.ones(a.shape[-1], dtype=int))


@instead_of("sum", by=("vdot",))
def sum_by_vdot(a, axis=None):
    if axis is None:
        return np.vdot(a, np.ones(np.shape(a), dtype=int))
    return np.array([np.vdot(part, np.ones(len(part), dtype=int)) for part in np.moveaxis(np.array(a), axis, -1)])


@instead_of("sum", by=("einsum",))
def sum_by_einsum(a, axis=None):
    a = np.ravel(a) if axis is None else np.moveaxis(np.array(a), axis, -1)
    return np.einsum("...i->...", a * 1)


@instead_of("prod", by=("nanprod",))
def prod_by_nanprod(a, axis=None, keepdims=False, initial=1):
    return np.nanprod(a, axis=axis, keepdims=keepdims) * initial


@instead_of("prod", by=("cumprod",))
def prod_by_cumprod(a, axis=None, keepdims=False, initial=1):
    running = np.cumprod(a, axis=axis)
    return np.take(running, [-1] if keepdims else -1, axis=-1 if axis is None else axis) * initial


@instead_of("prod", by=("cumulative_prod",))
def prod_by_cumulative_prod(a, axis=None, keepdims=False, initial=1):
    if axis is None:
        return np.cumulative_prod(np.ravel(a))[-1] * initial
    return np.take(np.cumulative_prod(a, axis=axis), [-1] if keepdims else -1, axis=axis) * initial


@instead_of("mean", by=("average",))
def mean_by_average(a, axis=None, keepdims=False):
    return np.average(a, axis=axis, keepdims=keepdims)


@instead_of("mean", by=("nanmean",))
def mean_by_nanmean(a, axis=None, keepdims=False):
    return np.nanmean(a, axis=axis, keepdims=keepdims)


@instead_of("mean", by=("dot",))
def mean_by_dot(a, axis=None):
    a = np.ravel(a) if axis is None else np.array(a)
    if axis == 0:
        return np.dot(np.ones(len(a)), a) / len(a)
    return np.dot(a, np.ones(a.shape[-1])) / a.shape[-1]


@instead_of("mean", by=("dot",))
def mean_by_dot_with_shares(a, axis=None):
    a = np.ravel(a) if axis is None else np.array(a)
    if axis == 0:
        return np.dot(np.ones(len(a)) / len(a), a)
    return np.dot(a, np.ones(a.shape[-1]) / a.shape[-1])


# ---- areas below curves ----------------------------------------------------------------------------------------------


@instead_of("trapezoid", by=("sum",))
def trapezoid_by_sum(y, x=None, dx=1.0, axis=-1):
    y = np.moveaxis(np.array(y), axis, -1)
    steps = dx if x is None else np.diff(x)
    return np.sum((y[..., 1:] + y[..., :-1]) / 2 * steps, axis=-1)


@instead_of("trapezoid", by=("sum",))
def trapezoid_by_sum_of_both_ends(y, x=None, dx=1.0, axis=-1):
    y = np.moveaxis(np.array(y), axis, -1)
    steps = dx if x is None else np.diff(x)
    return np.sum((y[..., 1:] + y[..., :-1]) * steps, axis=-1) / 2


@instead_of("trapezoid", by=("mean",))
def trapezoid_by_mean(y, x=None, dx=1.0):
    y = np.array(y)
    return np.mean((y[1:] + y[:-1]) / 2) * (dx * (len(y) - 1) if x is None else x[-1] - x[0])
