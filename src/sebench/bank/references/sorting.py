"""Sorting, searching, choosing and writing at places, done with others."""

import numpy as np

from sebench.bank.references import instead_of

# ---- order -----------------------------------------------------------------------------------------------------------


@instead_of("sort", by=("argsort",))
def sort_by_argsort(a, axis=-1):
    a = np.ravel(a) if axis is None else np.array(a)
    axis = -1 if axis is None else axis
    return np.take_along_axis(a, np.argsort(a, axis=axis), axis=axis)


@instead_of("sort", by=("lexsort",))
def sort_by_lexsort(a, axis=-1):
    a = np.ravel(a) if axis is None else np.array(a)
    axis = -1 if axis is None else axis
    return np.take_along_axis(a, np.lexsort((a,), axis=axis), axis=axis)


@instead_of("sort", by=("partition",))
def sort_by_partition(a, axis=-1):
    a = np.ravel(a) if axis is None else np.array(a)
    axis = -1 if axis is None else axis
    return np.partition(a, range(a.shape[axis]), axis=axis)


@instead_of("sort", by=("sort_complex",))
def sort_by_sort_complex(a, axis=-1):
    a = np.ravel(a) if axis is None else np.array(a)
    if axis == 0:
        return np.real(np.sort_complex(a.T)).T
    return np.real(np.sort_complex(a))


@instead_of("sort", by=("max", "min", "sum"))
def sort_by_max_and_min_of_three(a):
    low, high = np.min(a, axis=1), np.max(a, axis=1)
    return np.stack([low, np.sum(a, axis=1) - low - high, high], axis=1)


@instead_of("partition", by=("sort",))
def partition_by_sort(a, kth, axis=-1):
    return np.sort(a, axis=axis)


@instead_of("partition", by=("argsort",))
def partition_by_argsort(a, kth, axis=-1):
    a = np.ravel(a) if axis is None else np.array(a)
    axis = -1 if axis is None else axis
    return np.take_along_axis(a, np.argsort(a, axis=axis), axis=axis)


@instead_of("partition", by=("argpartition",))
def partition_by_argpartition(a, kth, axis=-1):
    a = np.ravel(a) if axis is None else np.array(a)
    axis = -1 if axis is None else axis
    return np.take_along_axis(a, np.argpartition(a, kth, axis=axis), axis=axis)


@instead_of("sort_complex", by=("sort",))
def sort_complex_by_sort(a):
    return np.sort(np.array(a, dtype=complex))


@instead_of("sort_complex", by=("argsort",))
def sort_complex_by_argsort(a):
    a = np.array(a, dtype=complex)
    return np.take_along_axis(a, np.argsort(a), axis=-1)


@instead_of("sort_complex", by=("lexsort",))
def sort_complex_by_lexsort(a):
    a = np.array(a, dtype=complex)
    return np.take_along_axis(a, np.lexsort((np.imag(a), np.real(a))), axis=-1)


# ---- places in an ordered list ---------------------------------------------------------------------------------------
# `side` is given only where it is 'right'.


@instead_of("searchsorted", by=("digitize",))
def searchsorted_by_digitize(a, v, side=None, sorter=None):
    return np.digitize(v, a if sorter is None else np.take(a, sorter), right=side is None)


@instead_of("searchsorted", by=("count_nonzero",))
def searchsorted_by_count_nonzero(a, v, side=None, sorter=None):
    a, v = np.array(a), np.expand_dims(v, -1)
    return np.count_nonzero(a < v if side is None else a <= v, axis=-1)


@instead_of("searchsorted", by=("sum",))
def searchsorted_by_sum(a, v, side=None, sorter=None):
    a, v = np.array(a), np.expand_dims(v, -1)
    return np.sum(a < v if side is None else a <= v, axis=-1)


@instead_of("searchsorted", by=("less",))
def searchsorted_by_less(a, v, side=None, sorter=None):
    return np.sum(np.less(a, np.expand_dims(v, -1)), axis=-1)


@instead_of("searchsorted", by=("greater",))
def searchsorted_by_greater(a, v, side=None):
    return np.sum(np.greater(np.expand_dims(v, -1), a), axis=-1)


@instead_of("searchsorted", by=("argmax",))
def searchsorted_by_argmax(a, v, side=None, sorter=None):
    a, v = np.array(a if sorter is None else np.take(a, sorter)), np.expand_dims(v, -1)
    return np.argmax(a >= v if side is None else a > v, axis=-1)


@instead_of("searchsorted", by=("argmax",))
def searchsorted_by_argmax_with_an_end(a, v, side=None):
    a, v = np.append(a, np.inf), np.expand_dims(v, -1)
    return np.argmax(a >= v if side is None else a > v, axis=-1)


@instead_of("searchsorted", by=("flatnonzero",))
def searchsorted_by_flatnonzero(a, v, side=None):
    a = np.array(a)
    found = [np.flatnonzero(a >= one if side is None else a > one) for one in np.ravel(v)]
    places = [where[0] if len(where) else len(a) for where in found]
    return np.reshape(places, np.shape(v)) if np.ndim(v) else places[0]


@instead_of("searchsorted", by=("nonzero",))
def searchsorted_by_nonzero(a, v, side=None):
    a = np.array(a)
    found = [np.nonzero(a >= one if side is None else a > one)[0] for one in np.ravel(v)]
    places = [where[0] if len(where) else len(a) for where in found]
    return np.reshape(places, np.shape(v)) if np.ndim(v) else places[0]


@instead_of("searchsorted", by=("where",))
def searchsorted_by_where(a, v, side=None):
    a = np.array(a)
    found = [np.where(a >= one if side is None else a > one)[0] for one in np.ravel(v)]
    places = [where[0] if len(where) else len(a) for where in found]
    return np.reshape(places, np.shape(v)) if np.ndim(v) else places[0]


@instead_of("searchsorted", by=("argwhere",))
def searchsorted_by_argwhere(a, v, side=None):
    a = np.array(a)
    found = [np.argwhere(a >= one if side is None else a > one) for one in np.ravel(v)]
    places = [where[0, 0] if len(where) else len(a) for where in found]
    return np.reshape(places, np.shape(v)) if np.ndim(v) else places[0]


@instead_of("searchsorted", by=("histogram",))
def searchsorted_by_histogram(a, v):
    found = [np.histogram(a, bins=[-np.inf, one, np.inf])[0][0] for one in np.ravel(v)]
    return np.array(found) if np.ndim(v) else found[0]


@instead_of("searchsorted", by=("histogram",))
def searchsorted_by_histogram_of_what_is_asked(a, v, side=None):
    counts = np.histogram(v, bins=[-np.inf, *a, np.inf])[0]
    return np.repeat(np.arange(len(counts)), counts)[np.argsort(np.argsort(v))]


@instead_of("searchsorted", by=("bincount",))
def searchsorted_by_bincount(a, v):
    below = np.cumsum(np.bincount(a, minlength=np.max(v) + 1))
    return np.where(np.array(v) == 0, 0, below[np.array(v) - 1])


@instead_of("searchsorted", by=("argsort",))
def searchsorted_by_argsort(a, v, side=None):
    joined = [np.append(one, a) if side is None else np.append(a, one) for one in np.ravel(v)]
    orders = [np.argsort(every, stable=True) for every in joined]
    found = [np.argmin(order) if side is None else np.argmax(order) for order in orders]
    return np.array(found) if np.ndim(v) else found[0]


@instead_of("searchsorted", by=("sort",))
def searchsorted_by_sort(a, v):
    found = [np.argmax(np.sort(np.append(a, one)) == one) for one in np.ravel(v)]
    return np.array(found) if np.ndim(v) else found[0]


@instead_of("searchsorted", by=("sort",))
def searchsorted_by_sort_of_those_chosen(a, v, sorter=None):
    ordered = np.sort(a)
    return np.sum(ordered < np.expand_dims(v, -1), axis=-1)


# ---- where something stands ------------------------------------------------------------------------------------------


@instead_of("nonzero", by=("where",))
def nonzero_by_where(a):
    return np.where(a)


@instead_of("nonzero", by=("argwhere",))
def nonzero_by_argwhere(a):
    return tuple(np.argwhere(a).T)


@instead_of("nonzero", by=("flatnonzero",))
def nonzero_by_flatnonzero(a):
    return np.unravel_index(np.flatnonzero(a), np.shape(a))


@instead_of("nonzero", by=("extract",))
def nonzero_by_extract(a):
    return tuple(np.extract(a, places) for places in np.indices(np.shape(a)))


@instead_of("nonzero", by=("compress",))
def nonzero_by_compress(a):
    return tuple(np.compress(np.ravel(a), np.ravel(places)) for places in np.indices(np.shape(a)))


@instead_of("nonzero", by=("delete",))
def nonzero_by_delete(a):
    zero = np.ravel(np.array(a) == 0)
    return tuple(np.delete(np.ravel(places), zero) for places in np.indices(np.shape(a)))


@instead_of("unravel_index", by=("divmod",))
def unravel_index_by_divmod(indices, shape):
    if len(shape) == 2:
        return np.divmod(indices, shape[1])
    rest, last = np.divmod(indices, shape[2])
    return *np.divmod(rest, shape[1]), last


@instead_of("unravel_index", by=("divmod",))
def unravel_index_by_divmod_down_the_columns(indices, shape, order=None):
    column, row = np.divmod(indices, shape[0])
    return row, column


@instead_of("unravel_index", by=("floor_divide", "remainder"))
def unravel_index_by_floor_divide(indices, shape):
    return np.floor_divide(indices, shape[1]), np.remainder(indices, shape[1])


@instead_of("unravel_index", by=("right_shift", "bitwise_and"))
def unravel_index_by_right_shift(indices, shape):
    return np.right_shift(indices, 3), np.bitwise_and(indices, 7)


@instead_of("unravel_index", by=("argwhere",))
def unravel_index_by_argwhere(indices, shape, order=None):
    numbers = np.arange(np.prod(shape))
    board = np.reshape(numbers, shape) if order is None else np.reshape(numbers, shape[::-1]).T
    found = np.array([np.argwhere(board == one)[0] for one in np.ravel(indices)])
    return tuple(np.reshape(part, np.shape(indices)) for part in found.T)


@instead_of("unravel_index", by=("where",))
def unravel_index_by_where(indices, shape, order=None):
    numbers = np.arange(np.prod(shape))
    board = np.reshape(numbers, shape) if order is None else np.reshape(numbers, shape[::-1]).T
    found = [[places[0] for places in np.where(board == one)] for one in np.ravel(indices)]
    return tuple(np.reshape(part, np.shape(indices)) for part in np.array(found).T)


@instead_of("unravel_index", by=("nonzero",))
def unravel_index_by_nonzero(indices, shape, order=None):
    numbers = np.arange(np.prod(shape))
    board = np.reshape(numbers, shape) if order is None else np.reshape(numbers, shape[::-1]).T
    found = [[places[0] for places in np.nonzero(board == one)] for one in np.ravel(indices)]
    return tuple(np.reshape(part, np.shape(indices)) for part in np.array(found).T)


@instead_of("ravel_multi_index", by=("multiply",))
def ravel_multi_index_by_multiply(multi_index, dims):
    row, column = multi_index
    return np.multiply(row, dims[1]) + column


@instead_of("ravel_multi_index", by=("add", "multiply"))
def ravel_multi_index_down_the_columns(multi_index, dims, order=None):
    row, column = multi_index
    return np.add(row, np.multiply(column, dims[0]))


@instead_of("ravel_multi_index", by=("clip",))
def ravel_multi_index_by_clip(multi_index, dims, mode=None):
    row, column = multi_index
    return np.clip(row, 0, dims[0] - 1) * dims[1] + np.clip(column, 0, dims[1] - 1)


@instead_of("ravel_multi_index", by=("minimum", "maximum"))
def ravel_multi_index_by_minimum(multi_index, dims, mode=None):
    row, column = multi_index
    row, column = np.maximum(row, 0), np.maximum(column, 0)
    return np.minimum(row, dims[0] - 1) * dims[1] + np.minimum(column, dims[1] - 1)


@instead_of("ravel_multi_index", by=("clip", "remainder"))
def ravel_multi_index_by_clip_and_remainder(multi_index, dims, mode=None):
    row, column = multi_index
    return np.clip(row, 0, dims[0] - 1) * dims[1] + np.remainder(column, dims[1])


@instead_of("ravel_multi_index", by=("minimum", "maximum"))
def ravel_multi_index_by_minimum_and_remainder(multi_index, dims, mode=None):
    row, column = multi_index
    return np.minimum(np.maximum(row, 0), dims[0] - 1) * dims[1] + np.array(column) % dims[1]


# ---- one or the other ------------------------------------------------------------------------------------------------


@instead_of("where", by=("select",))
def where_by_select(condition, x, y):
    return np.select([np.astype(np.array(condition), bool)], [x], default=y)


@instead_of("where", by=("select",))
def where_by_select_of_arrays(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    return np.select([condition != 0], [x], default=y)


@instead_of("where", by=("choose",))
def where_by_choose(condition, x, y):
    return np.choose(np.astype(np.array(condition), bool), [y, x])


@instead_of("where", by=("piecewise",))
def where_by_piecewise(condition, x, y):
    return np.piecewise(np.array(y), [condition], [x, lambda one: one])


@instead_of("where", by=("piecewise",))
def where_by_piecewise_otherwise(condition, x, y):
    return np.piecewise(np.array(x), [condition], [lambda one: one, y])


@instead_of("where", by=("putmask",))
def where_by_putmask(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    result = np.array([y, x])[0]
    np.putmask(result, condition, x)
    return result


@instead_of("where", by=("place",))
def where_by_place(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    result = np.array([y, x])[0]
    np.place(result, condition != 0, x[condition != 0])
    return result


@instead_of("where", by=("place",))
def where_by_place_of_one_number(condition, x, y):
    result = np.array(y)
    np.place(result, condition, x)
    return result


@instead_of("where", by=("copyto",))
def where_by_copyto(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    result = np.array([y, x])[0]
    np.copyto(result, x, where=condition != 0)
    return result


@instead_of("where", by=("nonzero",))
def where_by_nonzero(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    result, chosen = np.array([y, x])[0], np.nonzero(condition)
    result[chosen] = x[chosen]
    return result


@instead_of("where", by=("flatnonzero",))
def where_by_flatnonzero(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    result, chosen = np.ravel(np.array([y, x])[0]), np.flatnonzero(condition)
    result[chosen] = np.ravel(x)[chosen]
    return np.reshape(result, np.shape(x))


@instead_of("where", by=("argwhere",))
def where_by_argwhere(condition, x, y):
    condition, x, y = np.broadcast_arrays(condition, x, y)
    result = np.array([y, x])[0]
    for place in np.argwhere(condition):
        result[tuple(place)] = x[tuple(place)]
    return result


@instead_of("where", by=("nonzero",))
def where_it_stands_by_nonzero(condition):
    return np.nonzero(condition)


@instead_of("where", by=("argwhere",))
def where_it_stands_by_argwhere(condition):
    return tuple(np.argwhere(condition).T)


@instead_of("where", by=("flatnonzero",))
def where_it_stands_by_flatnonzero(condition):
    return np.unravel_index(np.flatnonzero(condition), np.shape(condition))


@instead_of("where", by=("full",))
def where_by_full(condition, x, y):
    result = np.full(np.shape(condition), y)
    result[condition != 0] = x if np.ndim(x) == 0 else x[condition != 0]
    return result


@instead_of("where", by=("fill_diagonal",))
def where_by_fill_diagonal(condition, x, y):
    result = np.full(np.shape(condition), y)
    np.fill_diagonal(result, x)
    return result


@instead_of("where", by=("eye",))
def where_by_eye(condition, x, y):
    return y + (x - y) * np.eye(len(condition))


@instead_of("where", by=("nan_to_num",))
def where_by_nan_to_num(condition, x, y):
    return np.nan_to_num(y, nan=x)


@instead_of("where", by=("nan_to_num",))
def where_by_nan_to_num_of_infinite(condition, x, y):
    return np.nan_to_num(y, nan=np.nan, posinf=x, neginf=x)


@instead_of("where", by=("isfinite",))
def where_by_isfinite(condition, x, y):
    result = np.array(y)
    result[~np.isfinite(result)] = x
    return result


@instead_of("where", by=("maximum",))
def where_by_maximum(condition, x, y):
    return np.maximum(y, x)


@instead_of("where", by=("clip",))
def where_by_clip(condition, x, y):
    return np.clip(y, x, None)


@instead_of("where", by=("tril",))
def where_by_tril(condition, x, y):
    return np.tril(np.broadcast_to(x, np.shape(condition)))


@instead_of("where", by=("tril",))
def where_by_tril_without_the_diagonal(condition, x, y):
    return np.tril(np.broadcast_to(x, np.shape(condition)) - y, k=-1) + y


@instead_of("where", by=("triu",))
def where_by_triu(condition, x, y):
    return np.triu(np.broadcast_to(np.expand_dims(x, 1), np.shape(condition))).T


@instead_of("where", by=("flip",))
def where_by_flip(condition, x, y):
    result = np.array(y)
    result[1::2] = np.flip(result[1::2], axis=1)
    return result


@instead_of("where", by=("fliplr",))
def where_by_fliplr(condition, x, y):
    result = np.array(y)
    result[1::2] = np.fliplr(result[1::2])
    return result


@instead_of("select", by=("where",))
def select_by_where(condlist, choicelist, default=0):
    result = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        result = np.where(condition, choice, result)
    return result


@instead_of("select", by=("choose",))
def select_by_choose(condlist, choicelist, default=0):
    number = 0
    for n in range(len(condlist), 0, -1):
        number = np.where(condlist[n - 1], n, number)
    return np.choose(number, [default, *choicelist])


@instead_of("select", by=("piecewise",))
def select_by_piecewise(condlist, choicelist, default=0):
    condlist = [np.array(condition) for condition in condlist]
    return np.piecewise(np.zeros(condlist[0].shape), condlist[::-1], [*choicelist[::-1], default])


@instead_of("select", by=("piecewise",))
def select_by_piecewise_of_places(condlist, choicelist, default=0):
    places = np.reshape(np.arange(np.size(condlist[0])), np.shape(condlist[0]))
    flat = [np.ravel(np.broadcast_to(values, places.shape)) for values in [*choicelist[::-1], default]]
    chosen = [lambda at, values=values: values[np.astype(at, int)] for values in flat]
    return np.piecewise(places * 1.0, [np.array(condition) for condition in condlist[::-1]], chosen)


@instead_of("piecewise", by=("where",))
def piecewise_by_where(x, condlist, funclist, extra=None):
    x, more = np.array(x), () if extra is None else (extra,)
    values = [one(x, *more) if callable(one) else one for one in funclist]
    result = values[-1] if len(values) > len(condlist) else 0
    for condition, value in zip(condlist, values, strict=False):
        result = np.where(condition, value, result)
    return np.astype(result, x.dtype)


@instead_of("piecewise", by=("select",))
def piecewise_by_select(x, condlist, funclist, extra=None):
    x, more = np.array(x), () if extra is None else (extra,)
    values = [one(x, *more) if callable(one) else one for one in funclist]
    default = values[-1] if len(values) > len(condlist) else 0
    conditions = [np.array(condition) for condition in condlist]
    return np.astype(np.select(conditions, values[: len(condlist)], default=default), x.dtype)


@instead_of("piecewise", by=("choose",))
def piecewise_by_choose(x, condlist, funclist, extra=None):
    x, more = np.array(x), () if extra is None else (extra,)
    values = [one(x, *more) if callable(one) else one for one in funclist]
    default = values[-1] if len(values) > len(condlist) else 0
    number = sum(np.array(condition) * (n + 1) for n, condition in enumerate(condlist))
    return np.astype(np.choose(number, [default, *values[: len(condlist)]]), x.dtype)


# ---- writing at places -----------------------------------------------------------------------------------------------


@instead_of("place", by=("put", "flatnonzero"))
def place_by_put(arr, mask, vals):
    np.put(arr, np.flatnonzero(mask), vals)


@instead_of("place", by=("flatnonzero",))
def place_by_flatnonzero(arr, mask, vals):
    places = np.flatnonzero(mask)
    flat = np.ravel(arr)
    flat[places] = np.resize(vals, len(places))
    arr[...] = np.reshape(flat, arr.shape)


@instead_of("place", by=("nonzero",))
def place_by_nonzero(arr, mask, vals):
    places = np.nonzero(mask)
    arr[places] = np.resize(vals, len(places[0]))


@instead_of("place", by=("where",))
def place_by_where(arr, mask, vals):
    arr[...] = np.where(mask, vals, arr)


@instead_of("place", by=("where",))
def place_by_where_to_find_the_places(arr, mask, vals):
    places = np.where(mask)
    arr[places] = np.resize(vals, len(places[0]))


@instead_of("place", by=("putmask",))
def place_by_putmask(arr, mask, vals):
    np.putmask(arr, mask, vals)


@instead_of("place", by=("putmask",))
def place_by_putmask_in_turn(arr, mask, vals):
    turns = np.reshape(np.cumsum(mask) - 1, arr.shape) % np.size(vals)
    np.putmask(arr, mask, np.take(vals, turns))


@instead_of("place", by=("copyto",))
def place_by_copyto(arr, mask, vals):
    np.copyto(arr, vals, where=np.astype(np.array(mask), bool))


@instead_of("place", by=("copyto",))
def place_by_copyto_in_turn(arr, mask, vals):
    turns = np.reshape(np.cumsum(mask) - 1, arr.shape) % np.size(vals)
    np.copyto(arr, np.take(vals, turns), where=np.astype(np.array(mask), bool))


@instead_of("put", by=("place",))
def put_by_place(a, ind, v):
    mask = np.reshape(np.isin(np.arange(np.size(a)), ind), np.shape(a))
    np.place(a, mask, v if np.ndim(v) == 0 else np.resize(v, np.size(ind))[np.argsort(ind)])


@instead_of("put", by=("putmask",))
def put_by_putmask(a, ind, v):
    mask = np.reshape(np.isin(np.arange(np.size(a)), ind), np.shape(a))
    values = np.zeros(np.size(a))
    values[ind] = np.resize(v, np.size(ind))
    np.putmask(a, mask, np.reshape(values, np.shape(a)))


@instead_of("put", by=("place",))
def put_by_place_at_the_ends(a, ind, v, mode=None):
    places = np.clip(ind, 0, np.size(a) - 1)
    np.place(a, np.isin(np.arange(np.size(a)), places), v)


@instead_of("put", by=("place",))
def put_by_place_around(a, ind, v, mode=None):
    places = np.remainder(ind, np.size(a))
    np.place(a, np.isin(np.arange(np.size(a)), places), v)


@instead_of("put", by=("putmask",))
def put_by_putmask_at_the_ends(a, ind, v, mode=None):
    places = np.clip(ind, 0, np.size(a) - 1)
    np.putmask(a, np.isin(np.arange(np.size(a)), places), v)


@instead_of("put", by=("putmask",))
def put_by_putmask_around(a, ind, v, mode=None):
    places = np.remainder(ind, np.size(a))
    np.putmask(a, np.isin(np.arange(np.size(a)), places), v)


@instead_of("put_along_axis", by=("put",))
def put_along_axis_by_put(arr, indices, values, axis=None):
    np.put(arr, indices, values)


@instead_of("put_along_axis", by=("place",))
def put_along_axis_by_place(arr, indices, values, axis=None):
    np.place(arr, np.reshape(np.isin(np.arange(np.size(arr)), indices), np.shape(arr)), values)


@instead_of("put_along_axis", by=("putmask",))
def put_along_axis_by_putmask(arr, indices, values, axis=None):
    np.putmask(arr, np.reshape(np.isin(np.arange(np.size(arr)), indices), np.shape(arr)), values)


@instead_of("put_along_axis", by=("copyto",))
def put_along_axis_by_copyto(arr, indices, values, axis=None):
    np.copyto(arr, values, where=np.reshape(np.isin(np.arange(np.size(arr)), indices), np.shape(arr)))


@instead_of("putmask", by=("where",))
def putmask_by_where(a, mask, values):
    a[...] = np.where(mask, np.resize(values, np.shape(a)), a)


@instead_of("putmask", by=("where",))
def putmask_by_where_to_find_the_places(a, mask, values):
    places = np.where(mask)
    a[places] = np.resize(values, np.shape(a))[places]


@instead_of("putmask", by=("copyto",))
def putmask_by_copyto(a, mask, values):
    np.copyto(a, np.resize(values, np.shape(a)), where=np.astype(np.array(mask), bool))


@instead_of("putmask", by=("place",))
def putmask_by_place(a, mask, values):
    np.place(a, mask, np.resize(values, np.shape(a))[np.astype(np.array(mask), bool)])


@instead_of("putmask", by=("place",))
def putmask_by_place_of_one_number(a, mask, values):
    np.place(a, mask, values)


@instead_of("putmask", by=("put",))
def putmask_by_put(a, mask, values):
    np.put(a, np.flatnonzero(mask), values)


@instead_of("take", by=("take_along_axis",))
def take_by_take_along_axis(a, indices, axis=None):
    if axis is None:
        return np.take_along_axis(np.array(a), np.array(indices), axis=None)
    places = np.full((len(a), 1), indices)
    return np.take_along_axis(np.array(a), places, axis=axis)[:, 0]


@instead_of("take", by=("take_along_axis",))
def take_by_take_along_axis_of_a_list(a, indices):
    found = np.take_along_axis(np.array(a), np.ravel(indices), axis=0)
    return np.reshape(found, np.shape(indices))


@instead_of("take", by=("compress",))
def take_by_compress(a, indices, axis=None):
    return np.compress(np.arange(np.shape(a)[axis]) == indices, a, axis=axis)[:, 0]


@instead_of("take", by=("choose",))
def take_by_choose(a, indices):
    return np.choose(indices, a)


@instead_of("take_along_axis", by=("take",))
def take_along_axis_by_take(arr, indices, axis=None):
    return np.take(arr, indices)


@instead_of("take_along_axis", by=("ravel",))
def take_along_axis_by_ravel(arr, indices, axis=None):
    return np.ravel(arr)[indices]


@instead_of("take_along_axis", by=("reshape",))
def take_along_axis_by_reshape(arr, indices, axis=None):
    return np.reshape(arr, -1)[indices]
