"""Medians, quantiles and spreads, done with others."""

import numpy as np

from sebench.bank.references import instead_of

# ---- the middle ------------------------------------------------------------------------------------------------------


@instead_of("median", by=("nanmedian",))
def median_by_nanmedian(a, axis=None, keepdims=False):
    return np.nanmedian(a, axis=axis, keepdims=keepdims)


@instead_of("median", by=("percentile",))
def median_by_percentile(a, axis=None, keepdims=False):
    return np.percentile(a, 50, axis=axis, keepdims=keepdims)


@instead_of("median", by=("quantile",))
def median_by_quantile(a, axis=None, keepdims=False):
    return np.quantile(a, 0.5, axis=axis, keepdims=keepdims)


@instead_of("median", by=("sort",))
def median_by_sort(a, axis=None, keepdims=False):
    ordered = np.sort(a, axis=axis)
    along = -1 if axis is None else axis
    count = ordered.shape[along]
    middle = (np.take(ordered, (count - 1) // 2, axis=along) + np.take(ordered, count // 2, axis=along)) / 2
    return np.expand_dims(middle, axis) if keepdims else middle


@instead_of("median", by=("partition",))
def median_by_partition(a, axis=None, keepdims=False):
    count = np.size(a) if axis is None else np.shape(a)[axis]
    ordered = np.partition(a, [(count - 1) // 2, count // 2], axis=axis)
    along = -1 if axis is None else axis
    middle = (np.take(ordered, (count - 1) // 2, axis=along) + np.take(ordered, count // 2, axis=along)) / 2
    return np.expand_dims(middle, axis) if keepdims else middle


# ---- quantiles -------------------------------------------------------------------------------------------------------


@instead_of("percentile", by=("quantile",))
def percentile_by_quantile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.quantile(a, np.array(q) / 100, axis=axis, method=method, keepdims=keepdims, weights=weights)
    return np.quantile(a, np.array(q) / 100, axis=axis, method=method, keepdims=keepdims)


@instead_of("percentile", by=("nanpercentile",))
def percentile_by_nanpercentile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights)
    return np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims)


@instead_of("percentile", by=("nanquantile",))
def percentile_by_nanquantile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.nanquantile(a, np.array(q) / 100, axis=axis, method=method, keepdims=keepdims, weights=weights)
    return np.nanquantile(a, np.array(q) / 100, axis=axis, method=method, keepdims=keepdims)


@instead_of("percentile", by=("sort",))
def percentile_by_sort(a, q, axis=None, keepdims=False):
    ordered = np.moveaxis(np.sort(a, axis=axis), -1 if axis is None else axis, -1)
    places = [share * (ordered.shape[-1] - 1) / 100 for share in np.ravel(q)]
    low, high = [ordered[..., int(p)] for p in places], [ordered[..., int(np.ceil(p))] for p in places]
    found = [one + (other - one) * (p % 1) for one, other, p in zip(low, high, places, strict=True)]
    found = np.array(found) if np.ndim(q) else found[0]
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("quantile", by=("percentile",))
def quantile_by_percentile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.percentile(a, np.array(q) * 100, axis=axis, method=method, keepdims=keepdims, weights=weights)
    return np.percentile(a, np.array(q) * 100, axis=axis, method=method, keepdims=keepdims)


@instead_of("quantile", by=("nanquantile",))
def quantile_by_nanquantile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights)
    return np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims)


@instead_of("quantile", by=("nanpercentile",))
def quantile_by_nanpercentile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.nanpercentile(a, np.array(q) * 100, axis=axis, method=method, keepdims=keepdims, weights=weights)
    return np.nanpercentile(a, np.array(q) * 100, axis=axis, method=method, keepdims=keepdims)


@instead_of("quantile", by=("sort",))
def quantile_by_sort(a, q, axis=None, keepdims=False):
    ordered = np.moveaxis(np.sort(a, axis=axis), -1 if axis is None else axis, -1)
    places = [share * (ordered.shape[-1] - 1) for share in np.ravel(q)]
    low, high = [ordered[..., int(p)] for p in places], [ordered[..., int(np.ceil(p))] for p in places]
    found = [one + (other - one) * (p % 1) for one, other, p in zip(low, high, places, strict=True)]
    found = np.array(found) if np.ndim(q) else found[0]
    return np.expand_dims(found, axis) if keepdims else found


# ---- spreads ---------------------------------------------------------------------------------------------------------


@instead_of("std", by=("var",))
def std_by_var(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


@instead_of("std", by=("nanstd",))
def std_by_nanstd(a, axis=None, ddof=0, keepdims=False):
    return np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims)


@instead_of("std", by=("nanvar",))
def std_by_nanvar(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))


@instead_of("std", by=("mean",))
def std_by_mean(a, axis=None, ddof=0, keepdims=False):
    squares = (np.array(a) - np.mean(a, axis=axis, keepdims=True)) ** 2
    mean = np.mean(squares, axis=axis, keepdims=keepdims)
    count = np.size(a) / np.size(mean)
    return np.sqrt(mean * count / (count - ddof))


@instead_of("std", by=("mean",))
def std_by_mean_once(a, axis=None, ddof=0, keepdims=False):
    squares = (np.array(a) - np.mean(a, axis=axis, keepdims=True)) ** 2
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    return np.sqrt(total / (np.size(a) / np.size(total) - ddof))


@instead_of("std", by=("average",))
def std_by_average(a, axis=None, ddof=0, keepdims=False):
    squares = (np.array(a) - np.average(a, axis=axis, keepdims=True)) ** 2
    mean = np.average(squares, axis=axis, keepdims=keepdims)
    count = np.size(a) / np.size(mean)
    return np.sqrt(mean * count / (count - ddof))


@instead_of("std", by=("average",))
def std_by_average_once(a, axis=None, ddof=0, keepdims=False):
    squares = (np.array(a) - np.average(a, axis=axis, keepdims=True)) ** 2
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    return np.sqrt(total / (np.size(a) / np.size(total) - ddof))


@instead_of("var", by=("std",))
def var_by_std(a, axis=None, ddof=0, keepdims=False):
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) ** 2


@instead_of("var", by=("nanvar",))
def var_by_nanvar(a, axis=None, ddof=0, keepdims=False):
    return np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims)


@instead_of("var", by=("nanstd",))
def var_by_nanstd(a, axis=None, ddof=0, keepdims=False):
    return np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims) ** 2


@instead_of("var", by=("mean",))
def var_by_mean(a, axis=None, ddof=0, keepdims=False):
    squares = np.absolute(np.array(a) - np.mean(a, axis=axis, keepdims=True)) ** 2
    mean = np.mean(squares, axis=axis, keepdims=keepdims)
    count = np.size(a) / np.size(mean)
    return mean * count / (count - ddof)


@instead_of("var", by=("mean",))
def var_by_mean_once(a, axis=None, ddof=0, keepdims=False):
    squares = np.absolute(np.array(a) - np.mean(a, axis=axis, keepdims=True)) ** 2
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    return total / (np.size(a) / np.size(total) - ddof)


@instead_of("var", by=("average",))
def var_by_average(a, axis=None, ddof=0, keepdims=False):
    squares = np.absolute(np.array(a) - np.average(a, axis=axis, keepdims=True)) ** 2
    mean = np.average(squares, axis=axis, keepdims=keepdims)
    count = np.size(a) / np.size(mean)
    return mean * count / (count - ddof)


@instead_of("var", by=("average",))
def var_by_average_once(a, axis=None, ddof=0, keepdims=False):
    squares = np.absolute(np.array(a) - np.average(a, axis=axis, keepdims=True)) ** 2
    total = np.sum(squares, axis=axis, keepdims=keepdims)
    return total / (np.size(a) / np.size(total) - ddof)


@instead_of("var", by=("cov",))
def var_by_cov(a, axis=None, ddof=0, keepdims=False):
    table = np.array(a).T if axis == 0 else np.array(a)
    found = np.cov(table, ddof=ddof)
    if axis is not None:
        found = np.diagonal(found)
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("var", by=("cov",))
def var_by_cov_of_each(a, axis=None, ddof=0):
    table = np.array(a).T if axis == 0 else np.array(a)
    return np.array([np.cov(np.ravel(part), ddof=ddof) for part in table])
