"""Positions, and elements that are picked or set by position, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("argmax", by=("nanargmax",))
def argmax_by_nanargmax(a, axis=None, keepdims=False):
    return np.nanargmax(a, axis=axis, keepdims=keepdims)


@instead_of("argmax", by=("argmin",))
def argmax_by_argmin(a, axis=None, keepdims=False):
    return np.argmin(-np.array(a, dtype=float), axis=axis, keepdims=keepdims)


@instead_of("argmax", by=("argsort",))
def argmax_by_argsort(a, axis=None, keepdims=False):
    if axis is None:
        return np.argsort(-np.array(np.ravel(a), dtype=float), stable=True)[0]
    order = np.argsort(-np.array(a, dtype=float), axis=axis, stable=True)
    return np.take(order, [0] if keepdims else 0, axis=axis)


@instead_of("argmax", by=("argsort",))
def argmax_by_last_of_argsort(a, axis=None, keepdims=False):
    if axis is None:
        return np.argsort(np.ravel(a))[-1]
    return np.take(np.argsort(a, axis=axis), [-1] if keepdims else -1, axis=axis)


@instead_of("argmax", by=("max", "flatnonzero"))
def argmax_by_flatnonzero(a, axis=None, keepdims=False):
    if axis is None:
        return np.flatnonzero(np.array(a) == np.max(a))[0]
    lines = np.array(a).T if axis == 0 else np.reshape(a, (-1, np.shape(a)[-1]))
    found = np.array([np.flatnonzero(line == np.max(line))[0] for line in lines])
    return np.expand_dims(found, axis) if keepdims else found if axis == 0 else np.reshape(found, np.shape(a)[:-1])


@instead_of("argmax", by=("max",))
def argmax_by_index(a, axis=None, keepdims=False):
    if axis is None:
        return np.ravel(a).tolist().index(np.max(a))
    lines = np.array(a).T if axis == 0 else np.reshape(a, (-1, np.shape(a)[-1]))
    found = np.array([line.tolist().index(np.max(line)) for line in lines])
    return np.expand_dims(found, axis) if keepdims else found if axis == 0 else np.reshape(found, np.shape(a)[:-1])


@instead_of("argmax", by=("nonzero",))
def argmax_by_nonzero(a, axis=None, keepdims=False):
    if axis is None:
        return np.nonzero(np.ravel(a) == np.max(a))[0][0]
    lines = np.array(a).T if axis == 0 else np.reshape(a, (-1, np.shape(a)[-1]))
    found = np.array([np.nonzero(line == np.max(line))[0][0] for line in lines])
    return np.expand_dims(found, axis) if keepdims else found if axis == 0 else np.reshape(found, np.shape(a)[:-1])


@instead_of("argmax", by=("where",))
def argmax_by_where(a, axis=None, keepdims=False):
    if axis is None:
        return np.where(np.ravel(a) == np.max(a))[0][0]
    lines = np.array(a).T if axis == 0 else np.reshape(a, (-1, np.shape(a)[-1]))
    found = np.array([np.where(line == np.max(line))[0][0] for line in lines])
    return np.expand_dims(found, axis) if keepdims else found if axis == 0 else np.reshape(found, np.shape(a)[:-1])


@instead_of("argmax", by=("argwhere",))
def argmax_by_argwhere(a, axis=None):
    if axis is None:
        return np.argwhere(np.ravel(a) == np.max(a))[0][0]
    lines = np.array(a).T if axis == 0 else np.array(a)
    return np.array([np.argwhere(line == np.max(line))[0][0] for line in lines])


@instead_of("argmin", by=("nanargmin",))
def argmin_by_nanargmin(a, axis=None, keepdims=False):
    return np.nanargmin(a, axis=axis, keepdims=keepdims)


@instead_of("argmin", by=("argmax",))
def argmin_by_argmax(a, axis=None, keepdims=False):
    return np.argmax(-np.array(a, dtype=float), axis=axis, keepdims=keepdims)


@instead_of("argmin", by=("argsort",))
def argmin_by_argsort(a, axis=None, keepdims=False):
    if axis is None:
        return np.argsort(np.ravel(a), stable=True)[0]
    order = np.argsort(a, axis=axis, stable=True)
    return np.take(order, [0] if keepdims else 0, axis=axis)


@instead_of("argmin", by=("min", "flatnonzero"))
def argmin_by_flatnonzero(a, axis=None, keepdims=False):
    if axis is None:
        return np.flatnonzero(np.array(a) == np.min(a))[0]
    lines = np.array(a).T if axis == 0 else np.array(a)
    found = np.array([np.flatnonzero(line == np.min(line))[0] for line in lines])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("argmin", by=("min",))
def argmin_by_index(a, axis=None, keepdims=False):
    if axis is None:
        return np.ravel(a).tolist().index(np.min(a))
    lines = np.array(a).T if axis == 0 else np.array(a)
    found = np.array([line.tolist().index(np.min(line)) for line in lines])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("argmin", by=("nonzero",))
def argmin_by_nonzero(a, axis=None, keepdims=False):
    if axis is None:
        return np.nonzero(np.ravel(a) == np.min(a))[0][0]
    lines = np.array(a).T if axis == 0 else np.array(a)
    found = np.array([np.nonzero(line == np.min(line))[0][0] for line in lines])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("argmin", by=("where",))
def argmin_by_where(a, axis=None, keepdims=False):
    if axis is None:
        return np.where(np.ravel(a) == np.min(a))[0][0]
    lines = np.array(a).T if axis == 0 else np.array(a)
    found = np.array([np.where(line == np.min(line))[0][0] for line in lines])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("argmin", by=("argwhere",))
def argmin_by_argwhere(a, axis=None):
    if axis is None:
        return np.argwhere(np.ravel(a) == np.min(a))[0][0]
    lines = np.array(a).T if axis == 0 else np.array(a)
    return np.array([np.argwhere(line == np.min(line))[0][0] for line in lines])


@instead_of("argpartition", by=("argsort",))
def argpartition_by_argsort(a, kth, axis=-1):
    return np.argsort(a, axis=axis)


@instead_of("argpartition", by=("partition",))
def argpartition_by_partition(a, kth):
    values = np.array(a)
    border = np.partition(values, kth)[kth]
    parts = values < border, values == border, values > border
    return np.concatenate([np.flatnonzero(part) for part in parts])


@instead_of("argpartition", by=("partition",))
def argpartition_by_place(a, kth):
    return np.array([np.array(a).tolist().index(value) for value in np.partition(a, kth)])


@instead_of("argpartition", by=("sort",))
def argpartition_by_place_in_order(a, kth):
    return np.array([np.array(a).tolist().index(value) for value in np.sort(a)])


@instead_of("argsort", by=("lexsort",))
def argsort_by_lexsort(a, axis=-1, stable=None):
    return np.lexsort((np.ravel(a),)) if axis is None else np.lexsort((np.array(a),), axis=axis)


@instead_of("argsort", by=("argpartition",))
def argsort_by_argpartition(a, stable=None):
    return np.argpartition(a, list(range(len(a))))


@instead_of("argsort", by=("argpartition",))
def argsort_by_argpartition_of_pairs(a, axis=-1, stable=None):
    values = np.ravel(a) if axis is None else np.array(a)
    return np.argpartition(values * len(values) + np.arange(len(values)), list(range(len(values))))


@instead_of("argsort", by=("sort",))
def argsort_by_sort(a, stable=None):
    order = []
    for value in np.sort(a).tolist():
        order += [place for place in range(len(a)) if a[place] == value and place not in order][:1]
    return np.array(order, dtype=int)


@instead_of("argsort", by=("sort",))
def argsort_by_sort_of_pairs(a, axis=-1, stable=None):
    values = np.ravel(a) if axis is None else np.array(a)
    return np.array(np.sort(values * len(values) + np.arange(len(values))) % len(values), dtype=int)


@instead_of("argwhere", by=("nonzero",))
def argwhere_by_nonzero(a):
    return np.array(np.nonzero(a)).T


@instead_of("argwhere", by=("where",))
def argwhere_by_where(a):
    return np.array(np.where(a)).T


@instead_of("argwhere", by=("flatnonzero",))
def argwhere_by_flatnonzero(a):
    return np.array(np.unravel_index(np.flatnonzero(a), np.shape(a))).T


@instead_of("flatnonzero", by=("nonzero",))
def flatnonzero_by_nonzero(a):
    return np.nonzero(np.ravel(a))[0]


@instead_of("flatnonzero", by=("where",))
def flatnonzero_by_where(a):
    return np.where(np.ravel(a))[0]


@instead_of("flatnonzero", by=("argwhere",))
def flatnonzero_by_argwhere(a):
    return np.argwhere(np.ravel(a))[:, 0]


@instead_of("flatnonzero", by=("compress",))
def flatnonzero_by_compress(a):
    return np.compress(np.ravel(a), np.arange(np.size(a)))


@instead_of("flatnonzero", by=("extract",))
def flatnonzero_by_extract(a):
    return np.extract(a, np.arange(np.size(a)))


@instead_of("flatnonzero", by=("delete",))
def flatnonzero_by_delete(a):
    return np.delete(np.arange(np.size(a)), np.ravel(a) == 0)


@instead_of("choose", by=("select",))
def choose_by_select(a, choices):
    which = np.array(a)
    return np.select([which == number for number in range(len(choices))], [np.array(one) for one in choices])


@instead_of("choose", by=("where",))
def choose_by_where(a, choices):
    found = choices[-1]
    for number in range(len(choices) - 1):
        found = np.where(np.array(a) == number, choices[number], found)
    return found


@instead_of("compress", by=("flatnonzero",))
def compress_by_flatnonzero(condition, a, axis=None):
    if axis is None:
        return np.ravel(a)[np.flatnonzero(condition)]
    return np.take(a, np.flatnonzero(condition), axis=axis)


@instead_of("compress", by=("nonzero",))
def compress_by_nonzero(condition, a, axis=None):
    if axis is None:
        return np.ravel(a)[np.nonzero(condition)[0]]
    return np.take(a, np.nonzero(condition)[0], axis=axis)


@instead_of("compress", by=("where",))
def compress_by_where(condition, a, axis=None):
    if axis is None:
        return np.ravel(a)[np.where(condition)[0]]
    return np.take(a, np.where(condition)[0], axis=axis)


@instead_of("compress", by=("extract",))
def compress_by_extract(condition, a, axis=None):
    if axis is None:
        return np.extract(condition, np.ravel(a)[: len(condition)])
    return np.take(a, np.extract(condition, np.arange(len(condition))), axis=axis)


@instead_of("extract", by=("compress",))
def extract_by_compress(condition, arr):
    return np.compress(np.ravel(condition), np.ravel(arr))


@instead_of("extract", by=("flatnonzero",))
def extract_by_flatnonzero(condition, arr):
    return np.ravel(arr)[np.flatnonzero(condition)]


@instead_of("extract", by=("nonzero",))
def extract_by_nonzero(condition, arr):
    return np.array(arr)[np.nonzero(condition)]


@instead_of("extract", by=("where",))
def extract_by_where(condition, arr):
    return np.array(arr)[np.where(condition)]


@instead_of("copyto", by=("where",))
def copyto_by_where(dst, src, where=True):
    dst[...] = np.where(where, src, dst)


@instead_of("copyto", by=("choose",))
def copyto_by_choose(dst, src, where=True):
    dst[...] = np.choose(np.array(where) != 0, [dst, src])


@instead_of("copyto", by=("select",))
def copyto_by_select(dst, src, where=True):
    dst[...] = np.select([np.array(where) != 0], [np.array(src)], dst)


@instead_of("copyto", by=("putmask",))
def copyto_by_putmask(dst, src, where=True):
    np.putmask(dst, np.broadcast_to(where, np.shape(dst)), np.broadcast_to(src, np.shape(dst)))


@instead_of("lexsort", by=("argsort",))
def lexsort_by_argsort(keys):
    order = np.argsort(keys[0], stable=True)
    for key in keys[1:]:
        order = order[np.argsort(np.array(key)[order], stable=True)]
    return order


@instead_of("lexsort", by=("argsort",))
def lexsort_by_argsort_of_one_key(keys):
    least, greatest = np.min(keys[0]), np.max(keys[0])
    return np.argsort(np.array(keys[1]) * (greatest - least + 1) + np.array(keys[0]), stable=True)


@instead_of("lexsort", by=("sort",))
def lexsort_by_sort(keys):
    count, least = len(keys[0]), np.min(keys[0])
    both = np.array(keys[1]) * (np.max(keys[0]) - least + 1) + np.array(keys[0])
    return np.array(np.sort(both * count + np.arange(count)) % count, dtype=int)


@instead_of("isin", by=("intersect1d",))
def isin_by_intersect1d(element, test_elements, invert=False):
    common = np.intersect1d(element, test_elements).tolist()
    found = [(one in common) != invert for one in np.ravel(element).tolist()]
    return np.reshape(found, np.shape(element))


@instead_of("isin", by=("setdiff1d",))
def isin_by_setdiff1d(element, test_elements, invert=False):
    others = np.setdiff1d(element, test_elements).tolist()
    found = [(one in others) == invert for one in np.ravel(element).tolist()]
    return np.reshape(found, np.shape(element))


@instead_of("isin", by=("any",))
def isin_by_any(element, test_elements, invert=False):
    found = np.any(np.array(element)[..., None] == np.ravel(test_elements), axis=-1)
    return found != invert


@instead_of("isin", by=("equal", "any"))
def isin_by_equal(element, test_elements, invert=False):
    return np.any(np.equal(np.array(element)[..., None], np.ravel(test_elements)), axis=-1) != invert


@instead_of("intersect1d", by=("isin",))
def intersect1d_by_isin(ar1, ar2):
    return np.unique(np.array(ar1)[np.isin(ar1, ar2)])
