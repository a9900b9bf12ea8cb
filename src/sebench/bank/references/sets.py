"""Sets of values, done with others."""

import numpy as np

from sebench.bank.references import instead_of

# ---- differences and unions ------------------------------------------------------------------------------------------


@instead_of("setdiff1d", by=("isin", "unique"))
def setdiff1d_by_isin(ar1, ar2):
    ar1 = np.unique(ar1)
    return ar1[~np.isin(ar1, ar2)]


@instead_of("setdiff1d", by=("isin", "unique"))
def setdiff1d_by_isin_first(ar1, ar2):
    ar1 = np.array(ar1)
    return np.unique(ar1[~np.isin(ar1, ar2)])


@instead_of("setdiff1d", by=("setxor1d",))
def setdiff1d_by_setxor1d(ar1, ar2):
    return np.intersect1d(ar1, np.setxor1d(ar1, ar2))


@instead_of("setdiff1d", by=("setxor1d", "intersect1d"))
def setdiff1d_by_setxor1d_with_those_shared(ar1, ar2):
    return np.setxor1d(ar1, np.intersect1d(ar1, ar2))


@instead_of("setdiff1d", by=("delete",))
def setdiff1d_by_delete(ar1, ar2):
    ar1 = np.unique(ar1)
    return np.delete(ar1, np.isin(ar1, ar2))


@instead_of("setdiff1d", by=("delete",))
def setdiff1d_by_delete_at_places(ar1, ar2):
    ar1 = np.unique(ar1)
    return np.delete(ar1, np.flatnonzero(np.isin(ar1, ar2)))


@instead_of("setdiff1d", by=("bincount",))
def setdiff1d_by_bincount(ar1, ar2):
    size = max(*np.ravel(ar1), *np.ravel(ar2), 0) + 1
    first, second = np.bincount(np.ravel(ar1), minlength=size), np.bincount(np.ravel(ar2), minlength=size)
    return np.array([number for number in range(size) if first[number] and not second[number]])


@instead_of("setdiff1d", by=("bincount",))
def setdiff1d_by_bincount_of_those_taken(ar1, ar2):
    ar1 = np.unique(ar1)
    return ar1[np.bincount(np.ravel(ar2), minlength=np.max(ar1) + 1)[ar1] == 0]


@instead_of("setxor1d", by=("union1d", "setdiff1d"))
def setxor1d_by_setdiff1d(ar1, ar2):
    return np.union1d(np.setdiff1d(ar1, ar2), np.setdiff1d(ar2, ar1))


@instead_of("setxor1d", by=("setdiff1d",))
def setxor1d_by_setdiff1d_and_sort(ar1, ar2):
    return np.sort(np.concatenate([np.setdiff1d(ar1, ar2), np.setdiff1d(ar2, ar1)]))


@instead_of("setxor1d", by=("union1d", "setdiff1d", "intersect1d"))
def setxor1d_by_union1d(ar1, ar2):
    return np.setdiff1d(np.union1d(ar1, ar2), np.intersect1d(ar1, ar2))


@instead_of("setxor1d", by=("isin",))
def setxor1d_by_isin(ar1, ar2):
    ar1, ar2 = np.ravel(ar1), np.ravel(ar2)
    return np.unique(np.concatenate([ar1[~np.isin(ar1, ar2)], ar2[~np.isin(ar2, ar1)]]))


@instead_of("setxor1d", by=("isin", "union1d", "intersect1d"))
def setxor1d_by_isin_of_the_union(ar1, ar2):
    every = np.union1d(ar1, ar2)
    return every[~np.isin(every, np.intersect1d(ar1, ar2))]


@instead_of("union1d", by=("unique", "concatenate"))
def union1d_by_unique(ar1, ar2):
    return np.unique(np.concatenate([np.ravel(ar1), np.ravel(ar2)]))


# ---- the different values --------------------------------------------------------------------------------------------


@instead_of("unique", by=("unique_counts",))
def unique_by_unique_counts(ar, return_counts=False):
    values, counts = np.unique_counts(ar)
    return (values, counts) if return_counts else values


@instead_of("unique", by=("unique_inverse",))
def unique_by_unique_inverse(ar, return_inverse=False, return_counts=False):
    values, numbers = np.unique_inverse(ar)
    if return_counts:
        return values, np.bincount(np.ravel(numbers), minlength=len(values))
    return (values, numbers) if return_inverse else values


@instead_of("unique", by=("unique_all",))
def unique_by_unique_all(ar, return_index=False, return_inverse=False, return_counts=False):
    values, first, numbers, counts = np.unique_all(ar)
    wanted = [
        part for part, asked in [(first, return_index), (numbers, return_inverse), (counts, return_counts)] if asked
    ]
    return (values, *wanted) if wanted else values


@instead_of("unique", by=("bincount",))
def unique_by_bincount(ar, return_counts=False):
    counts = np.bincount(np.ravel(ar))
    values = np.flatnonzero(counts)
    return (values, counts[values]) if return_counts else values


@instead_of("unique", by=("union1d",))
def unique_by_union1d(ar, return_counts=False):
    values = np.union1d(ar, ar)
    return (values, np.array([np.sum(np.array(ar) == one) for one in values])) if return_counts else values


@instead_of("unique", by=("intersect1d",))
def unique_by_intersect1d(ar, return_counts=False):
    values = np.intersect1d(ar, ar)
    return (values, np.array([np.sum(np.array(ar) == one) for one in values])) if return_counts else values


@instead_of("unique", by=("setdiff1d",))
def unique_by_setdiff1d(ar, return_counts=False):
    values = np.setdiff1d(ar, [])
    return (values, np.array([np.sum(np.array(ar) == one) for one in values])) if return_counts else values


@instead_of("unique_counts", by=("unique",))
def unique_counts_by_unique(x):
    values, counts = np.unique(x, return_counts=True)
    return type(np.unique_counts(x))(values, counts)


@instead_of("unique_counts", by=("unique_all",))
def unique_counts_by_unique_all(x):
    found = np.unique_all(x)
    return type(np.unique_counts(x))(found.values, found.counts)


@instead_of("unique_counts", by=("bincount",))
def unique_counts_by_bincount(x):
    counts = np.bincount(x)
    values = np.flatnonzero(counts)
    return type(np.unique_counts(x))(values, counts[values])


@instead_of("unique_counts", by=("bincount",))
def unique_counts_by_bincount_of_numbers(x):
    values, numbers = np.unique(x, return_inverse=True)
    return type(np.unique_counts(x))(values, np.bincount(np.ravel(numbers)))


@instead_of("unique_inverse", by=("unique",))
def unique_inverse_by_unique(x):
    values, numbers = np.unique(x, return_inverse=True)
    return type(np.unique_inverse(x))(values, numbers)


@instead_of("unique_inverse", by=("unique_all",))
def unique_inverse_by_unique_all(x):
    found = np.unique_all(x)
    return type(np.unique_inverse(x))(found.values, found.inverse_indices)


@instead_of("unique_all", by=("unique",))
def unique_all_by_unique(x):
    return type(np.unique_all(x))(*np.unique(x, return_index=True, return_inverse=True, return_counts=True))


@instead_of("unique_all", by=("unique_counts", "unique_inverse"))
def unique_all_by_unique_counts(x):
    values, counts = np.unique_counts(x)
    numbers = np.unique_inverse(x).inverse_indices
    first = np.array([np.argmax(np.ravel(x) == one) for one in values])
    return type(np.unique_all(x))(values, first, numbers, counts)
