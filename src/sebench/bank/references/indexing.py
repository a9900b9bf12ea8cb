"""Positions, and elements that are picked or set by position, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("argmax", by=("nanargmax",))
def argmax_by_nanargmax(a, axis=None, keepdims=False):
    return np.nanargmax(a, axis=axis, keepdims=keepdims)


@instead_of("argmax", by=("argmin",))
def argmax_by_argmin(a, axis=None, keepdims=False):
    return np.argmin(-np.array(a, dtype=float), axis=axis, keepdims=keepdims)


@instead_of("argmax", by=("argmin",))
def argmax_by_argmin_of_false(a, axis=None, keepdims=False):
    return np.argmin(np.array(a) == 0, axis=axis, keepdims=keepdims)


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


@instead_of("argmax", by=("max",))
def argmax_by_first_so_great(a):
    best = np.max(a)
    return next(number for number, value in enumerate(np.ravel(a)) if value >= best)


@instead_of("argmax", by=("max",))
def argmax_by_first_so_great_of_lines(a, axis):
    lines, found = np.array(a).T if axis == 0 else np.array(a), []
    for line in lines:
        best = np.max(line)
        found.append(next(number for number, value in enumerate(line) if value >= best))
    return np.array(found)


@instead_of("argmax", by=("max",))
def argmax_by_loop(a):
    best, found = np.max(a), 0
    for number in range(np.size(a) - 1, -1, -1):
        found = number if np.ravel(a)[number] == best else found
    return found


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


@instead_of("argmin", by=("min",))
def argmin_by_first_so_small(a):
    best = np.min(a)
    return next(number for number, value in enumerate(np.ravel(a)) if value <= best)


@instead_of("argmin", by=("min",))
def argmin_by_first_so_small_of_lines(a, axis):
    lines, found = np.array(a).T if axis == 0 else np.array(a), []
    for line in lines:
        best = np.min(line)
        found.append(next(number for number, value in enumerate(line) if value <= best))
    return np.array(found)


@instead_of("argmin", by=("min",))
def argmin_by_loop(a):
    best, found = np.min(a), 0
    for number in range(np.size(a) - 1, -1, -1):
        found = number if np.ravel(a)[number] == best else found
    return found


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


@instead_of("argpartition", by=("partition",))
def argpartition_by_partition_of_rows(a, kth, axis=-1):
    lines = np.array(a).T if axis == 0 else np.array(a)
    found = [[line.tolist().index(value) for value in np.partition(line, kth)] for line in lines]
    return np.array(found).T if axis == 0 else np.array(found)


@instead_of("argpartition", by=("sort",))
def argpartition_by_sort(a, kth):
    values = np.array(a)
    border = np.sort(values)[kth]
    parts = values < border, values == border, values > border
    return np.concatenate([np.flatnonzero(part) for part in parts])


@instead_of("argpartition", by=("sort",))
def argpartition_by_place_in_order(a, kth):
    return np.array([np.array(a).tolist().index(value) for value in np.sort(a)])


@instead_of("argpartition", by=("sort",))
def argpartition_by_sort_of_rows(a, kth, axis=-1):
    lines = np.array(a).T if axis == 0 else np.array(a)
    found = [[line.tolist().index(value) for value in np.sort(line)] for line in lines]
    return np.array(found).T if axis == 0 else np.array(found)


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


@instead_of("argsort", by=("argmax",))
def argsort_by_argmax(a):
    return np.array([np.argmax(np.array(a) == number) for number in range(len(a))])


@instead_of("argsort", by=("flatnonzero",))
def argsort_by_flatnonzero(a):
    return np.array([np.flatnonzero(np.array(a) == number)[0] for number in range(len(a))])


@instead_of("argsort", by=("nonzero",))
def argsort_by_nonzero(a):
    return np.array([np.nonzero(np.array(a) == number)[0][0] for number in range(len(a))])


@instead_of("argsort", by=("where",))
def argsort_by_where(a):
    return np.array([np.where(np.array(a) == number)[0][0] for number in range(len(a))])


@instead_of("argsort", by=("argwhere",))
def argsort_by_argwhere(a):
    return np.array([np.argwhere(np.array(a) == number)[0][0] for number in range(len(a))])


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


@instead_of("flatnonzero", by=("argmax", "any"))
def flatnonzero_by_argmax(a):
    return np.array([np.argmax(a)] if np.any(a) else [])


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


@instead_of("choose", by=("select",))
def choose_by_select_in_turn(a, choices, mode):
    which = np.array(a) % len(choices)
    return np.select([which == number for number in range(len(choices))], [np.array(one) for one in choices])


@instead_of("choose", by=("where",))
def choose_by_where_in_turn(a, choices, mode):
    which = np.array(a) % 3
    return np.where(which == 0, choices[0], np.where(which == 1, choices[1], choices[2]))


@instead_of("choose", by=("select",))
def choose_by_select_and_last(a, choices, mode):
    return np.select([np.array(a) <= 0, np.array(a) == 1], [np.array(choices[0]), np.array(choices[1])], choices[2])


@instead_of("choose", by=("where",))
def choose_by_where_and_last(a, choices, mode):
    return np.where(np.array(a) <= 0, choices[0], np.where(np.array(a) == 1, choices[1], choices[2]))


@instead_of("choose", by=("stack",))
def choose_by_stack(a, choices):
    return np.stack(choices)[a, np.arange(len(a))]


@instead_of("choose", by=("vstack",))
def choose_by_vstack(a, choices):
    return np.vstack(choices)[a, np.arange(len(a))]


@instead_of("choose", by=("take_along_axis",))
def choose_by_take_along_axis(a, choices):
    return np.take_along_axis(np.array(choices), np.array([a]), axis=0)[0]


@instead_of("choose", by=("equal",))
def choose_by_equal(a, choices):
    return np.equal(a, len(choices) - 1)


@instead_of("choose", by=("take",))
def choose_by_take(a, choices):
    return np.take(choices, a)


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


@instead_of("compress", by=("extract",))
def compress_by_extract_of_rows(condition, a, axis=None):
    lines = np.array(a).T if axis == 0 else np.reshape(a, (-1, np.shape(a)[-1]))
    found = np.array([np.extract(condition, line) for line in lines])
    return found.T if axis == 0 else np.reshape(found, (*np.shape(a)[:-1], -1))


@instead_of("compress", by=("take",))
def compress_by_take(condition, a, axis=None):
    return np.take(a, [number for number in range(len(condition)) if condition[number]], axis=axis)


@instead_of("compress", by=("ravel",))
def compress_by_ravel(condition, a):
    return np.ravel(a)[np.flatnonzero(condition)]


@instead_of("compress", by=("reshape",))
def compress_by_reshape(condition, a):
    return np.reshape(a, -1)[np.flatnonzero(condition)]


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


@instead_of("copyto", by=("nonzero",))
def copyto_by_nonzero(dst, src, where=True):
    places = np.nonzero(where)
    dst[places] = np.array(src)[places] if np.ndim(src) else src


@instead_of("copyto", by=("nonzero",))
def copyto_by_nonzero_of_rows(dst, src, where):
    for row in np.nonzero(np.ravel(where))[0]:
        dst[row] = src


@instead_of("copyto", by=("nonzero",))
def copyto_by_nonzero_of_columns(dst, src, where):
    dst[:, np.nonzero(where)[0]] = src


@instead_of("copyto", by=("flatnonzero",))
def copyto_by_flatnonzero(dst, src, where=True):
    for place in np.flatnonzero(where):
        at = place if dst.ndim == 1 else (place // dst.shape[1], place % dst.shape[1])
        dst[at] = np.array(src)[at] if np.ndim(src) else src


@instead_of("copyto", by=("flatnonzero",))
def copyto_by_flatnonzero_of_rows(dst, src, where):
    for row in np.flatnonzero(where):
        dst[row] = src


@instead_of("copyto", by=("flatnonzero",))
def copyto_by_flatnonzero_of_columns(dst, src, where):
    dst[:, np.flatnonzero(where)] = src


@instead_of("copyto", by=("broadcast_to",))
def copyto_by_broadcast_to(dst, src):
    dst[...] = np.broadcast_to(src, np.shape(dst))


@instead_of("copyto", by=("tile",))
def copyto_by_tile(dst, src):
    dst[...] = np.tile(src, (len(dst), 1))


@instead_of("copyto", by=("repeat",))
def copyto_by_repeat(dst, src):
    dst[...] = np.repeat([src], len(dst), axis=0)


@instead_of("copyto", by=("vstack",))
def copyto_by_vstack(dst, src):
    dst[...] = np.vstack([src] * len(dst))


@instead_of("copyto", by=("concatenate",))
def copyto_by_concatenate(dst, src):
    dst[...] = np.concatenate([[src]] * len(dst))


@instead_of("copyto", by=("put",))
def copyto_by_put(dst, src):
    np.put(dst, np.arange(np.size(dst)), src)


@instead_of("copyto", by=("place",))
def copyto_by_place(dst, src):
    np.place(dst, np.ones(np.shape(dst)), src)


@instead_of("fill_diagonal", by=("diag_indices",))
def fill_diagonal_by_diag_indices(a, val):
    a[np.diag_indices(len(a), np.ndim(a))] = val


@instead_of("fill_diagonal", by=("put",))
def fill_diagonal_by_put(a, val):
    step = np.sum(len(a) ** np.arange(np.ndim(a)))
    np.put(a, np.arange(len(a)) * step, val)


@instead_of("delete", by=("compress",))
def delete_by_compress(arr, obj, axis=None):
    taken = [number % len(arr) for number in np.ravel(obj)]
    return np.compress([number not in taken for number in range(len(arr))], arr, axis=axis)


@instead_of("delete", by=("extract",))
def delete_by_extract(arr, obj):
    taken = [number % len(arr) for number in np.ravel(obj)]
    return np.extract([number not in taken for number in range(len(arr))], arr)


@instead_of("delete", by=("compress",))
def delete_by_compress_of_rest(arr, obj):
    return np.compress(np.array(obj) == 0, arr)


@instead_of("delete", by=("extract",))
def delete_by_extract_of_rest(arr, obj):
    return np.extract(np.array(obj) == 0, arr)


@instead_of("delete", by=("take",))
def delete_by_take(arr, obj):
    taken = [number % len(arr) for number in np.ravel(obj)]
    return np.take(arr, [number for number in range(len(arr)) if number not in taken])


@instead_of("diag_indices", by=("arange",))
def diag_indices_by_arange(n, ndim=2):
    return (np.arange(n),) * ndim


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


@instead_of("lexsort", by=("argmax",))
def lexsort_by_argmax(keys):
    wide = np.max(keys[0]) - np.min(keys[0]) + 1
    score, order = -1.0 * (np.array(keys[1]) * wide + np.array(keys[0])), []
    for _ in range(len(score)):
        order.append(np.argmax(score))
        score[order[-1]] = -np.inf
    return np.array(order)


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


@instead_of("isin", by=("not_equal",))
def isin_by_not_equal(element, test_elements, invert=False):
    return np.all(np.not_equal(np.array(element)[..., None], np.ravel(test_elements)), axis=-1) == invert


@instead_of("isin", by=("bincount",))
def isin_by_bincount(element, test_elements, invert=False):
    most = max([*np.ravel(element), *np.ravel(test_elements)])
    return (np.bincount(np.ravel(test_elements), minlength=most + 1)[np.array(element)] > 0) != invert


@instead_of("isin", by=("searchsorted",))
def isin_by_searchsorted(element, test_elements, invert=False):
    ordered = np.sort(np.ravel(test_elements))
    places = np.searchsorted(ordered, element)
    return (np.take(ordered, places % len(ordered)) == np.array(element)) != invert


@instead_of("intersect1d", by=("isin",))
def intersect1d_by_isin(ar1, ar2):
    return np.unique(np.array(ar1)[np.isin(ar1, ar2)])


@instead_of("intersect1d", by=("isin",))
def intersect1d_by_isin_both(ar1, ar2, return_indices=True):
    first, second = np.flatnonzero(np.isin(ar1, ar2)), np.flatnonzero(np.isin(ar2, ar1))
    first = first[np.argsort(np.array(ar1)[first], stable=True)]
    second = second[np.argsort(np.array(ar2)[second], stable=True)]
    return np.array(ar1)[first], first, second


@instead_of("intersect1d", by=("where",))
def intersect1d_by_where(ar1, ar2, return_indices=True):
    common = np.unique([one for one in ar1 if one in ar2])
    first = [np.where(np.array(ar1) == one)[0][0] for one in common]
    return common, np.array(first), np.array([np.where(np.array(ar2) == one)[0][0] for one in common])


@instead_of("intersect1d", by=("nonzero",))
def intersect1d_by_nonzero(ar1, ar2, return_indices=True):
    common = np.unique([one for one in ar1 if one in ar2])
    first = [np.nonzero(np.array(ar1) == one)[0][0] for one in common]
    return common, np.array(first), np.array([np.nonzero(np.array(ar2) == one)[0][0] for one in common])


@instead_of("intersect1d", by=("flatnonzero",))
def intersect1d_by_flatnonzero(ar1, ar2, return_indices=True):
    common = np.unique([one for one in ar1 if one in ar2])
    first = [np.flatnonzero(np.array(ar1) == one)[0] for one in common]
    return common, np.array(first), np.array([np.flatnonzero(np.array(ar2) == one)[0] for one in common])


@instead_of("intersect1d", by=("argwhere",))
def intersect1d_by_argwhere(ar1, ar2, return_indices=True):
    common = np.unique([one for one in ar1 if one in ar2])
    first = [np.argwhere(np.array(ar1) == one)[0][0] for one in common]
    return common, np.array(first), np.array([np.argwhere(np.array(ar2) == one)[0][0] for one in common])


@instead_of("intersect1d", by=("searchsorted",))
def intersect1d_by_searchsorted(ar1, ar2, return_indices=True):
    order, other = np.argsort(ar1, stable=True), np.argsort(ar2, stable=True)
    common = np.unique([one for one in ar1 if one in ar2])
    first = order[np.searchsorted(np.array(ar1)[order], common)]
    return common, first, other[np.searchsorted(np.array(ar2)[other], common)]


@instead_of("intersect1d", by=("where",))
def intersect1d_by_where_of_isin(ar1, ar2):
    return np.unique(np.array(ar1)[np.where(np.isin(ar1, ar2))[0]])


@instead_of("intersect1d", by=("nonzero",))
def intersect1d_by_nonzero_of_isin(ar1, ar2):
    return np.unique(np.array(ar1)[np.nonzero(np.isin(ar1, ar2))[0]])


@instead_of("intersect1d", by=("argwhere",))
def intersect1d_by_argwhere_of_isin(ar1, ar2):
    return np.unique(np.array(ar1)[np.argwhere(np.isin(ar1, ar2))[:, 0]])


@instead_of("intersect1d", by=("searchsorted",))
def intersect1d_by_searchsorted_alone(ar1, ar2):
    one, other = np.unique(ar1), np.unique(ar2)
    places = np.searchsorted(other, one)
    return one[other[places % len(other)] == one]


@instead_of("intersect1d", by=("unique",))
def intersect1d_by_unique(ar1, ar2, return_indices=False):
    values, counts = np.unique(np.concatenate([np.unique(ar1), np.unique(ar2)]), return_counts=True)
    common = values[counts > 1]
    places = [[np.array(some).tolist().index(one) for one in common.tolist()] for some in (ar1, ar2)]
    return (common, *np.array(places, dtype=int)) if return_indices else common


@instead_of("intersect1d", by=("unique_counts",))
def intersect1d_by_unique_counts(ar1, ar2, return_indices=False):
    found = np.unique_counts(np.concatenate([np.unique(ar1), np.unique(ar2)]))
    common = found.values[found.counts > 1]
    places = [[np.array(some).tolist().index(one) for one in common.tolist()] for some in (ar1, ar2)]
    return (common, *np.array(places, dtype=int)) if return_indices else common
