"""Counts, classes and averages with weights, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("count_nonzero", by=("sum",))
def count_nonzero_by_sum(a, axis=None, keepdims=False):
    return np.sum(np.array(a) != 0, axis=axis, keepdims=keepdims)


@instead_of("count_nonzero", by=("argwhere",))
def count_nonzero_by_argwhere(a, axis=None):
    if axis is None:
        return len(np.argwhere(a))
    return np.array([len(np.argwhere(line)) for line in (np.array(a).T if axis == 0 else np.array(a))])


@instead_of("count_nonzero", by=("flatnonzero",))
def count_nonzero_by_flatnonzero(a, axis=None):
    if axis is None:
        return len(np.flatnonzero(a))
    return np.array([len(np.flatnonzero(line)) for line in (np.array(a).T if axis == 0 else np.array(a))])


@instead_of("count_nonzero", by=("nonzero",))
def count_nonzero_by_nonzero(a, axis=None):
    if axis is None:
        return len(np.nonzero(a)[0])
    return np.array([len(np.nonzero(line)[0]) for line in (np.array(a).T if axis == 0 else np.array(a))])


@instead_of("count_nonzero", by=("where",))
def count_nonzero_by_where(a, axis=None):
    if axis is None:
        return len(np.where(a)[0])
    return np.array([len(np.where(line)[0]) for line in (np.array(a).T if axis == 0 else np.array(a))])


@instead_of("count_nonzero", by=("where",))
def count_nonzero_by_ones(a, axis=None, keepdims=False):
    return np.sum(np.where(np.array(a) != 0, 1, 0), axis=axis, keepdims=keepdims)


@instead_of("count_nonzero", by=("bincount",))
def count_nonzero_by_bincount(a, axis=None):
    if axis is None:
        return np.bincount(np.ravel(np.array(a) != 0) * 1, minlength=2)[1]
    lines = np.array(a).T if axis == 0 else np.array(a)
    return np.array([np.bincount(np.ravel(line != 0) * 1, minlength=2)[1] for line in lines])


@instead_of("count_nonzero", by=("bincount",))
def count_nonzero_by_bincount_of_rows(a, axis=None):
    lines = np.array(a).T if axis == 0 else np.array(a)
    return np.bincount(np.nonzero(lines)[0], minlength=len(lines))


@instead_of("bincount", by=("count_nonzero",))
def bincount_by_count_nonzero(x, minlength=0):
    values = np.array(x)
    return np.array([np.count_nonzero(values == number) for number in range(max([minlength - 1, *values]) + 1)])


@instead_of("bincount", by=("sum",))
def bincount_by_sum(x, weights=None, minlength=0):
    values = np.array(x)
    numbers = range(max([minlength - 1, *values]) + 1)
    if weights is None:
        return np.array([np.sum(values == number) for number in numbers])
    return np.array([np.sum(np.array(weights)[values == number]) for number in numbers])


@instead_of("bincount", by=("sum",))
def bincount_by_sum_of_products(x, weights, minlength=0):
    values = np.array(x)
    numbers = range(max([minlength - 1, *values]) + 1)
    return np.array([np.sum(weights * (values == number)) for number in numbers])


@instead_of("bincount", by=("unique",))
def bincount_by_unique(x, weights=None, minlength=0):
    values, counts = np.unique(x, return_counts=True)
    found = np.zeros(max([minlength - 1, *x]) + 1, dtype=int if weights is None else float)
    for value, count in zip(values, counts, strict=True):
        found[value] = count if weights is None else np.sum(np.array(weights)[np.array(x) == value])
    return found


@instead_of("bincount", by=("unique",))
def bincount_by_unique_that_grows(x, minlength=0):
    values, counts = np.unique(x, return_counts=True)
    found = np.zeros(max([minlength - 1, *values]) + 1, dtype=int)
    found[values] = counts
    return found


@instead_of("bincount", by=("unique_counts",))
def bincount_by_unique_counts(x, weights=None, minlength=0):
    values, counts = np.unique_counts(x)
    found = np.zeros(max([minlength - 1, *x]) + 1, dtype=int if weights is None else float)
    for value, count in zip(values, counts, strict=True):
        found[value] = count if weights is None else np.sum(np.array(weights)[np.array(x) == value])
    return found


@instead_of("bincount", by=("unique_counts",))
def bincount_by_unique_counts_that_grow(x, minlength=0):
    values, counts = np.unique_counts(x)
    found = np.zeros(max([minlength - 1, *values]) + 1, dtype=int)
    found[values] = counts
    return found


@instead_of("bincount", by=("histogram",))
def bincount_by_histogram(x, weights=None, minlength=0):
    edges = np.arange(max([minlength - 1, *x]) + 2)
    return np.histogram(x, bins=edges, weights=weights)[0]


@instead_of("bincount", by=("histogram",))
def bincount_by_histogram_of_range(x, weights=None, minlength=0):
    count = max([minlength - 1, *x]) + 1
    return np.histogram(x, bins=count, range=(0, count), weights=weights)[0]


@instead_of("histogram", by=("digitize",))
def histogram_by_digitize(a, bins=10, range=None, density=False, weights=None):
    low, high = range or (np.min(a), np.max(a))
    edges = np.array(bins) if np.ndim(bins) else low + (high - low) * np.arange(bins + 1) / bins
    places = np.where(np.ravel(a) == edges[-1], len(edges) - 1, np.digitize(np.ravel(a), edges))
    found = np.bincount(places, weights=weights, minlength=len(edges) + 1)[1 : len(edges)]
    return found / (edges[1:] - edges[:-1]) / np.sum(found) if density else found, edges


@instead_of("histogram", by=("bincount", "searchsorted"))
def histogram_by_searchsorted(a, bins=10, range=None, density=False, weights=None):
    low, high = range or (np.min(a), np.max(a))
    edges = np.array(bins) if np.ndim(bins) else low + (high - low) * np.arange(bins + 1) / bins
    places = np.where(np.ravel(a) == edges[-1], len(edges) - 1, np.searchsorted(edges, np.ravel(a), side="right"))
    found = np.bincount(places, weights=weights, minlength=len(edges) + 1)[1 : len(edges)]
    return found / (edges[1:] - edges[:-1]) / np.sum(found) if density else found, edges


@instead_of("histogram", by=("searchsorted",))
def histogram_by_searchsorted_of_edges(a, bins=10, range=None):
    low, high = range or (np.min(a), np.max(a))
    edges = np.array(bins) if np.ndim(bins) else low + (high - low) * np.arange(bins + 1) / bins
    places = np.searchsorted(np.sort(np.ravel(a)), edges)
    places[-1] = np.searchsorted(np.sort(np.ravel(a)), edges[-1], side="right")
    return np.diff(places), edges


@instead_of("histogram", by=("histogram2d",))
def histogram_by_histogram2d(a, bins=10, range=None, density=False, weights=None):
    across = [range, (0, 1)] if range else None
    found, edges, _ = np.histogram2d(
        a, np.zeros(len(a)), bins=[bins, 1], range=across, weights=weights, density=density
    )
    return found[:, 0], edges


@instead_of("histogram", by=("count_nonzero",))
def histogram_by_count_nonzero(a, bins=10, range=None, density=False):
    low, high = range or (np.min(a), np.max(a))
    edges = np.array(bins) if np.ndim(bins) else low + (high - low) * np.arange(bins + 1) / bins
    values = np.where(np.array(a) == edges[-1], edges[-2], a)
    inside = [(values >= edges[i]) & (values < edges[i + 1]) for i in np.arange(len(edges) - 1)]
    found = np.array([np.count_nonzero(some) for some in inside])
    return found / (edges[1:] - edges[:-1]) / np.size(a) if density else found, edges


@instead_of("histogram", by=("sum",))
def histogram_by_sum(a, bins=10, range=None, density=False, weights=None):
    low, high = range or (np.min(a), np.max(a))
    edges = np.array(bins) if np.ndim(bins) else low + (high - low) * np.arange(bins + 1) / bins
    values = np.where(np.array(a) == edges[-1], edges[-2], a)
    inside = [(values >= edges[i]) & (values < edges[i + 1]) for i in np.arange(len(edges) - 1)]
    found = np.array([np.sum(some if weights is None else np.array(weights)[some]) for some in inside])
    return found / (edges[1:] - edges[:-1]) / np.size(a) if density else found, edges


@instead_of("histogram2d", by=("histogram",))
def histogram2d_by_histogram_of_range(x, y, bins, range=None, weights=None, density=False):
    (low, high), across = range or [(np.min(x), np.max(x)), (np.min(y), np.max(y))]
    down, right = bins if np.ndim(bins) else (bins, bins)
    places = np.minimum(np.floor((np.array(x) - low) / (high - low) * down), down - 1)
    given = np.ones(len(x)) if weights is None else np.array(weights)
    parts = [(np.array(y)[places == row], given[places == row]) for row in np.arange(down)]
    found = np.array([np.histogram(some, bins=right, range=across, weights=own)[0] for some, own in parts])
    size = (high - low) / down * (across[1] - across[0]) / right
    return found / np.sum(found) / size if density else found, None, None


@instead_of("histogram2d", by=("digitize",))
def histogram2d_by_digitize_of_ranges(x, y, bins, range=None, weights=None, density=False):
    one, other = range or [(np.min(x), np.max(x)), (np.min(y), np.max(y))]
    down, across = bins if np.ndim(bins) else (bins, bins)
    edges, others = np.linspace(*one, down + 1), np.linspace(*other, across + 1)
    rows = np.digitize(np.where(np.array(x) == one[1], edges[-2], x), edges)
    columns = np.digitize(np.where(np.array(y) == other[1], others[-2], y), others)
    places = [[(rows == i) & (columns == j) for j in np.arange(across) + 1] for i in np.arange(down) + 1]
    found = np.sum(np.array(places) * (1 if weights is None else np.array(weights)), axis=2)
    return found / np.sum(found) / (edges[1] - edges[0]) / (others[1] - others[0]) if density else found, edges, others


@instead_of("histogram2d", by=("searchsorted",))
def histogram2d_by_searchsorted_of_ranges(x, y, bins, range=None, weights=None, density=False):
    one, other = range or [(np.min(x), np.max(x)), (np.min(y), np.max(y))]
    down, across = bins if np.ndim(bins) else (bins, bins)
    edges, others = np.linspace(*one, down + 1), np.linspace(*other, across + 1)
    rows = np.searchsorted(edges, np.where(np.array(x) == one[1], edges[-2], x), side="right")
    columns = np.searchsorted(others, np.where(np.array(y) == other[1], others[-2], y), side="right")
    places = [[(rows == i) & (columns == j) for j in np.arange(across) + 1] for i in np.arange(down) + 1]
    found = np.sum(np.array(places) * (1 if weights is None else np.array(weights)), axis=2)
    return found / np.sum(found) / (edges[1] - edges[0]) / (others[1] - others[0]) if density else found, edges, others


@instead_of("histogram_bin_edges", by=("histogram",))
def histogram_bin_edges_by_histogram(a, bins=10, range=None):
    return np.histogram(a, bins=bins, range=range)[1]


@instead_of("histogram_bin_edges", by=("linspace",))
def histogram_bin_edges_by_linspace(a, bins=10):
    return np.linspace(np.min(a), np.max(a), bins + 1)


@instead_of("digitize", by=("searchsorted",))
def digitize_by_searchsorted(x, bins, right=False):
    return np.searchsorted(bins, x, side="left" if right else "right")


@instead_of("digitize", by=("sum",))
def digitize_by_sum(x, bins, right=False):
    values = np.array(x)[..., None]
    if bins[0] > bins[-1]:
        return np.sum(values < np.array(bins), axis=-1)
    return np.sum(values > np.array(bins) if right else values >= np.array(bins), axis=-1)


@instead_of("digitize", by=("count_nonzero",))
def digitize_by_count_nonzero(x, bins, right=False):
    values = np.array(x)[..., None]
    if bins[0] > bins[-1]:
        return np.count_nonzero(values < np.array(bins), axis=-1)
    return np.count_nonzero(values > np.array(bins) if right else values >= np.array(bins), axis=-1)


@instead_of("digitize", by=("select",))
def digitize_by_select(x, bins, right=False):
    below = [np.array(x) <= border if right else np.array(x) < border for border in bins]
    return np.select(below, list(range(len(bins))), len(bins))


@instead_of("digitize", by=("where",))
def digitize_by_where(x, bins, right=False):
    found = len(bins)
    for place in range(len(bins) - 1, -1, -1):
        found = np.where(np.array(x) <= bins[place] if right else np.array(x) < bins[place], place, found)
    return found


@instead_of("average", by=("sum",))
def average_by_sum(a, axis=None, weights=None, returned=False, keepdims=False):
    given = np.array(weights)[:, None] if axis == 0 and np.ndim(a) == 2 else np.array(weights)
    mean = np.sum(np.array(a) * given, axis=axis, keepdims=keepdims) / np.sum(weights)
    return (mean, np.sum(weights)) if returned else mean


@instead_of("average", by=("sum",))
def average_by_sum_of_shares(a, axis=None, weights=None, keepdims=False):
    shares = np.array(weights) / np.sum(weights)
    return np.sum(np.array(a) * (shares[:, None] if axis == 0 else shares), axis=axis, keepdims=keepdims)


@instead_of("average", by=("mean",))
def average_by_mean(a, axis=None, weights=None, returned=False, keepdims=False):
    given = np.array(weights)[:, None] if axis == 0 and np.ndim(a) == 2 else np.array(weights)
    mean = np.mean(np.array(a) * given, axis=axis, keepdims=keepdims) / np.mean(weights)
    return (mean, np.sum(weights)) if returned else mean


@instead_of("average", by=("mean",))
def average_by_mean_of_repeated(a, weights):
    return np.mean(np.repeat(a, np.array(weights, dtype=int)))


@instead_of("average", by=("nanmean",))
def average_by_nanmean(a, axis=None, weights=None, returned=False, keepdims=False):
    given = np.array(weights)[:, None] if axis == 0 and np.ndim(a) == 2 else np.array(weights)
    mean = np.nanmean(np.array(a) * given, axis=axis, keepdims=keepdims) / np.nanmean(weights)
    return (mean, np.sum(weights)) if returned else mean


@instead_of("average", by=("dot",))
def average_by_dot(a, axis=None, weights=None, returned=False, keepdims=False):
    total = np.dot(weights, a) if axis == 0 else np.dot(a, weights)
    mean = total / np.sum(weights)
    return (mean, np.sum(weights)) if returned else mean[:, None] if keepdims else mean


@instead_of("average", by=("dot",))
def average_by_dot_of_shares(a, axis=None, weights=None, keepdims=False):
    shares = np.array(weights) / np.sum(weights)
    mean = np.dot(shares, a) if axis == 0 else np.dot(a, shares)
    return mean[:, None] if keepdims else mean


@instead_of("average", by=("matmul",))
def average_by_matmul(a, axis=None, weights=None, returned=False, keepdims=False):
    total = np.matmul(weights, a) if axis == 0 else np.matmul(a, weights)
    mean = total / np.sum(weights)
    return (mean, np.sum(weights)) if returned else mean[:, None] if keepdims else mean


@instead_of("average", by=("inner",))
def average_by_inner(a, axis=None, weights=None, returned=False, keepdims=False):
    mean = np.inner(np.array(a).T if axis == 0 else a, weights) / np.sum(weights)
    return (mean, np.sum(weights)) if returned else mean[:, None] if keepdims else mean


@instead_of("average", by=("linalg.vecdot",))
def average_by_vecdot(a, axis=None, weights=None, returned=False, keepdims=False):
    mean = np.linalg.vecdot(np.array(a).T if axis == 0 else a, weights) / np.sum(weights)
    return (mean, np.sum(weights)) if returned else mean[:, None] if keepdims else mean


@instead_of("average", by=("einsum",))
def average_by_einsum(a, axis=None, weights=None, returned=False, keepdims=False):
    pattern = "i,i->" if np.ndim(a) == 1 else "ij,i->j" if axis == 0 else "ij,j->i"
    mean = np.einsum(pattern, a, weights) / np.sum(weights)
    return (mean, np.sum(weights)) if returned else mean[:, None] if keepdims else mean


@instead_of("cov", by=("dot", "mean"))
def cov_by_dot(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.array(m if y is None else [m, y]) if rowvar else np.array(m).T
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    free = ddof if ddof is not None else 0 if bias else 1
    return np.dot(centred, centred.T) / (len(rows[0]) - free)


@instead_of("cov", by=("matmul",))
def cov_by_matmul(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.array(m if y is None else [m, y]) if rowvar else np.array(m).T
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    free = ddof if ddof is not None else 0 if bias else 1
    return np.matmul(centred, centred.T) / (len(rows[0]) - free)


@instead_of("cov", by=("mean",))
def cov_by_mean(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.array(m if y is None else [m, y]) if rowvar else np.array(m).T
    centred = [row - np.mean(row) for row in rows]
    free = ddof if ddof is not None else 0 if bias else 1
    factor = len(rows[0]) / (len(rows[0]) - free)
    return np.array([[np.mean(one * other) * factor for other in centred] for one in centred])


@instead_of("cov", by=("var",))
def cov_by_var(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.array(m if y is None else [m, y]) if rowvar else np.array(m).T
    free = ddof if ddof is not None else 0 if bias else 1
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    both = np.dot(centred, centred.T) / (len(rows[0]) - free)
    return np.where(np.eye(len(rows)) == 1, np.var(rows, axis=1, ddof=free), both)


@instead_of("cov", by=("std",))
def cov_by_std(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.array(m if y is None else [m, y]) if rowvar else np.array(m).T
    free = ddof if ddof is not None else 0 if bias else 1
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    both = np.dot(centred, centred.T) / (len(rows[0]) - free)
    return np.where(np.eye(len(rows)) == 1, np.std(rows, axis=1, ddof=free) ** 2, both)


@instead_of("cov", by=("corrcoef", "std"))
def cov_by_corrcoef(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = np.array(m if y is None else [m, y]) if rowvar else np.array(m).T
    free = ddof if ddof is not None else 0 if bias else 1
    spread = np.std(rows, axis=1, ddof=free)
    return np.corrcoef(rows) * spread * spread[:, None]


@instead_of("corrcoef", by=("cov",))
def corrcoef_by_cov(x, y=None, rowvar=True):
    table = np.cov(x, y, rowvar=rowvar)
    spread = np.sqrt(np.diagonal(table))
    return table / spread / spread[:, None]


@instead_of("corrcoef", by=("cov", "std"))
def corrcoef_by_cov_and_std(x, y=None):
    rows = np.array(x if y is None else [x, y])
    spread = np.std(rows, axis=1, ddof=1)
    return np.cov(rows) / spread / spread[:, None]


@instead_of("corrcoef", by=("dot",))
def corrcoef_by_dot(x, y=None, rowvar=True):
    rows = np.array(x if y is None else np.vstack((x, y))) if rowvar else np.array(x).T
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    products = np.dot(centred, centred.T)
    spread = np.diagonal(products) ** 0.5
    return products / spread / spread[:, None]


@instead_of("corrcoef", by=("mean", "std"))
def corrcoef_by_mean(x, y=None, rowvar=True):
    rows = np.array(x if y is None else np.vstack((x, y))) if rowvar else np.array(x).T
    standard = [(row - np.mean(row)) / np.std(row) for row in rows]
    return np.array([[np.mean(one * other) for other in standard] for one in standard])
