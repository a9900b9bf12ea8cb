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


@instead_of("unravel_index", by=("floor_divide", "remainder"))
def unravel_index_by_floor_divide(indices, shape):
    return np.floor_divide(indices, shape[1]), np.remainder(indices, shape[1])


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
def place_by_where_to_find_the_places(arr, mask, vals):
    places = np.where(mask)
    arr[places] = np.resize(vals, len(places[0]))


@instead_of("place", by=("putmask",))
def place_by_putmask_in_turn(arr, mask, vals):
    turns = np.reshape(np.cumsum(mask) - 1, arr.shape) % np.size(vals)
    np.putmask(arr, mask, np.take(vals, turns))


@instead_of("place", by=("copyto",))
def place_by_copyto_in_turn(arr, mask, vals):
    turns = np.reshape(np.cumsum(mask) - 1, arr.shape) % np.size(vals)
    np.copyto(arr, np.take(vals, turns), where=np.astype(np.array(mask), bool))


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
