"""Functions that skip missing numbers, done with others."""

import numpy as np

from sebench.bank.references import instead_of

# ---- filling gaps ----------------------------------------------------------------------------------------------------


@instead_of("nan_to_num", by=("where", "isnan"))
def nan_to_num_by_where(x, nan=0.0, posinf=None, neginf=None):
    filled = np.where(np.isnan(x), nan, x)
    if posinf is not None:
        filled = np.where(np.isposinf(x), posinf, filled)
    return filled if neginf is None else np.where(np.isneginf(x), neginf, filled)


@instead_of("nan_to_num", by=("isnan",))
def nan_to_num_by_isnan(x, nan=0.0, posinf=None, neginf=None):
    filled = np.array(x)
    filled[np.isnan(x)] = nan
    if posinf is not None:
        filled[filled == np.inf] = posinf
    if neginf is not None:
        filled[filled == -np.inf] = neginf
    return filled


# ---- the largest and the smallest ------------------------------------------------------------------------------------


@instead_of("nanargmax", by=("argmax",))
def nanargmax(a, axis=None, keepdims=False):
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)


@instead_of("nanargmin", by=("argmin",))
def nanargmin(a, axis=None, keepdims=False):
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)


@instead_of("nanmax", by=("max",))
def nanmax_by_max(a, axis=None, keepdims=False, initial=-np.inf):
    return np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims, initial=initial)


@instead_of("nanmax", by=("max",))
def nanmax_by_max_of_those_there(a, axis=None, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.max(a[~np.isnan(a)])
    found = np.array([np.max(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("nanmax", by=("fmax",))
def nanmax_by_fmax(a, axis=None, keepdims=False, initial=np.nan):
    best = initial
    for part in np.ravel(a) if axis is None else np.moveaxis(np.array(a), axis, 0):
        best = np.fmax(best, part)
    return np.expand_dims(best, axis) if keepdims else best


@instead_of("nanmin", by=("min",))
def nanmin_by_min(a, axis=None, keepdims=False, initial=np.inf):
    return np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims, initial=initial)


@instead_of("nanmin", by=("min",))
def nanmin_by_min_of_those_there(a, axis=None, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.min(a[~np.isnan(a)])
    found = np.array([np.min(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("nanmin", by=("fmin",))
def nanmin_by_fmin(a, axis=None, keepdims=False, initial=np.nan):
    least = initial
    for part in np.ravel(a) if axis is None else np.moveaxis(np.array(a), axis, 0):
        least = np.fmin(least, part)
    return np.expand_dims(least, axis) if keepdims else least


# ---- sums and products -----------------------------------------------------------------------------------------------


@instead_of("nansum", by=("sum",))
def nansum_by_sum(a, axis=None, keepdims=False, initial=0):
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis, keepdims=keepdims) + initial


@instead_of("nansum", by=("sum",))
def nansum_by_sum_of_those_there(a, axis=None, initial=0):
    a = np.array(a)
    if axis is None:
        return np.sum(a[~np.isnan(a)]) + initial
    return np.array([np.sum(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])


@instead_of("nancumsum", by=("cumsum",))
def nancumsum(a, axis=None):
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis)


@instead_of("nanprod", by=("prod",))
def nanprod_by_prod(a, axis=None, keepdims=False, initial=1):
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis, keepdims=keepdims) * initial


@instead_of("nanprod", by=("prod",))
def nanprod_by_prod_of_those_there(a, axis=None, initial=1):
    a = np.array(a)
    if axis is None:
        return np.prod(a[~np.isnan(a)]) * initial
    return np.array([np.prod(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])


@instead_of("nancumprod", by=("cumprod",))
def nancumprod(a, axis=None):
    return np.cumprod(np.where(np.isnan(a), 1, a), axis=axis)


# ---- averages --------------------------------------------------------------------------------------------------------


@instead_of("nanmean", by=("nansum",))
def nanmean_by_nansum(a, axis=None, keepdims=False):
    there = np.count_nonzero(~np.isnan(a), axis=axis, keepdims=keepdims)
    return np.nansum(a, axis=axis, keepdims=keepdims) / there


@instead_of("nanmean", by=("mean",))
def nanmean_by_mean(a, axis=None, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.mean(a[~np.isnan(a)])
    found = np.array([np.mean(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("nanmean", by=("average",))
def nanmean_by_average(a, axis=None, keepdims=False):
    there = ~np.isnan(a)
    return np.average(np.where(there, a, 0), axis=axis, weights=there, keepdims=keepdims)


@instead_of("nanmean", by=("average",))
def nanmean_by_average_of_those_there(a, axis=None, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.average(a[~np.isnan(a)])
    found = np.array([np.average(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("nanmedian", by=("median",))
def nanmedian_by_median(a, axis=None, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.median(a[~np.isnan(a)])
    found = np.array([np.median(part[~np.isnan(part)]) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("nanmedian", by=("nanpercentile",))
def nanmedian_by_nanpercentile(a, axis=None, keepdims=False):
    return np.nanpercentile(a, 50, axis=axis, keepdims=keepdims)


@instead_of("nanmedian", by=("nanquantile",))
def nanmedian_by_nanquantile(a, axis=None, keepdims=False):
    return np.nanquantile(a, 0.5, axis=axis, keepdims=keepdims)


@instead_of("nanmedian", by=("sort",))
def nanmedian_by_sort(a, axis=None, keepdims=False):
    a = np.array(a)
    parts = [np.sort(part[~np.isnan(part)]) for part in ([a] if axis is None else a.T if axis == 0 else a)]
    found = [(part[(len(part) - 1) // 2] + part[len(part) // 2]) / 2 for part in parts]
    return found[0] if axis is None else np.expand_dims(found, axis) if keepdims else np.array(found)


# ---- quantiles -------------------------------------------------------------------------------------------------------


@instead_of("nanpercentile", by=("percentile",))
def nanpercentile_by_percentile(a, q, axis=None, method="linear", keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.percentile(a[~np.isnan(a)], q, method=method)
    found = [np.percentile(part[~np.isnan(part)], q, method=method) for part in (a.T if axis == 0 else a)]
    return np.expand_dims(found, axis) if keepdims else np.array(found).T


@instead_of("nanpercentile", by=("quantile",))
def nanpercentile_by_quantile(a, q, axis=None, method="linear", keepdims=False):
    a, q = np.array(a), np.array(q) / 100
    if axis is None:
        return np.quantile(a[~np.isnan(a)], q, method=method)
    found = [np.quantile(part[~np.isnan(part)], q, method=method) for part in (a.T if axis == 0 else a)]
    return np.expand_dims(found, axis) if keepdims else np.array(found).T


@instead_of("nanpercentile", by=("nanquantile",))
def nanpercentile_by_nanquantile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.nanquantile(a, np.array(q) / 100, axis=axis, method=method, weights=weights)
    return np.nanquantile(a, np.array(q) / 100, axis=axis, method=method, keepdims=keepdims)


@instead_of("nanquantile", by=("quantile",))
def nanquantile_by_quantile(a, q, axis=None, method="linear", keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.quantile(a[~np.isnan(a)], q, method=method)
    found = [np.quantile(part[~np.isnan(part)], q, method=method) for part in (a.T if axis == 0 else a)]
    return np.expand_dims(found, axis) if keepdims else np.array(found).T


@instead_of("nanquantile", by=("percentile",))
def nanquantile_by_percentile(a, q, axis=None, method="linear", keepdims=False):
    a, q = np.array(a), np.array(q) * 100
    if axis is None:
        return np.percentile(a[~np.isnan(a)], q, method=method)
    found = [np.percentile(part[~np.isnan(part)], q, method=method) for part in (a.T if axis == 0 else a)]
    return np.expand_dims(found, axis) if keepdims else np.array(found).T


@instead_of("nanquantile", by=("nanpercentile",))
def nanquantile_by_nanpercentile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is not None:
        return np.nanpercentile(a, np.array(q) * 100, axis=axis, method=method, weights=weights)
    return np.nanpercentile(a, np.array(q) * 100, axis=axis, method=method, keepdims=keepdims)


# ---- spreads ---------------------------------------------------------------------------------------------------------


@instead_of("nanstd", by=("nanvar",))
def nanstd_by_nanvar(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))


@instead_of("nanstd", by=("std",))
def nanstd_by_std(a, axis=None, ddof=0, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.std(a[~np.isnan(a)], ddof=ddof)
    found = np.array([np.std(part[~np.isnan(part)], ddof=ddof) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("nanvar", by=("nanstd",))
def nanvar_by_nanstd(a, axis=None, ddof=0, keepdims=False):
    return np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims) ** 2


@instead_of("nanvar", by=("var",))
def nanvar_by_var(a, axis=None, ddof=0, keepdims=False):
    a = np.array(a)
    if axis is None:
        return np.var(a[~np.isnan(a)], ddof=ddof)
    found = np.array([np.var(part[~np.isnan(part)], ddof=ddof) for part in (a.T if axis == 0 else a)])
    return np.expand_dims(found, axis) if keepdims else found
