"""Forms, copies, borders and corners of tables, done with others."""

import numpy as np

from sebench.bank.references import instead_of

# ---- new arrays ------------------------------------------------------------------------------------------------------


@instead_of("ones_like", by=("ones",))
def ones_like_by_ones(a, dtype=None, shape=None):
    return np.ones(shape or np.shape(a), dtype=dtype or np.array(a).dtype)


@instead_of("ones_like", by=("full",))
def ones_like_by_full(a, dtype=None, shape=None):
    return np.full(shape or np.shape(a), 1, dtype=dtype or np.array(a).dtype)


@instead_of("ones_like", by=("full_like",))
def ones_like_by_full_like(a, dtype=None, shape=None):
    return np.full_like(a, 1, dtype=dtype, shape=shape)


@instead_of("zeros_like", by=("zeros",))
def zeros_like_by_zeros(a, dtype=None, shape=None):
    return np.zeros(shape or np.shape(a), dtype=dtype or np.array(a).dtype)


@instead_of("zeros_like", by=("full",))
def zeros_like_by_full(a, dtype=None, shape=None):
    return np.full(shape or np.shape(a), 0, dtype=dtype or np.array(a).dtype)


@instead_of("zeros_like", by=("full_like",))
def zeros_like_by_full_like(a, dtype=None, shape=None):
    return np.full_like(a, 0, dtype=dtype, shape=shape)


@instead_of("shape", by=("size",))
def shape_by_size(a):
    return tuple(np.size(a, axis=n) for n in range(np.ndim(a)))


@instead_of("size", by=("shape",))
def size_by_shape(a, axis=None):
    lengths = np.shape(a)
    wanted = range(len(lengths)) if axis is None else np.ravel(axis).tolist()
    count = 1
    for n in wanted:
        count = count * lengths[n]
    return count


# ---- order of axes ---------------------------------------------------------------------------------------------------


@instead_of("moveaxis", by=("transpose",))
def moveaxis_by_transpose(a, source, destination):
    count = np.ndim(a)
    source, destination = [n % count for n in np.ravel(source)], [n % count for n in np.ravel(destination)]
    order = [n for n in range(count) if n not in source]
    for place, axis in sorted(zip(destination, source, strict=True)):
        order.insert(place, axis)
    return np.transpose(a, order)


@instead_of("moveaxis", by=("swapaxes",))
def moveaxis_by_swapaxes(a, source, destination):
    count = np.ndim(a)
    source, destination = source % count, destination % count
    step = 1 if destination > source else -1
    for axis in range(source, destination, step):
        a = np.swapaxes(a, axis, axis + step)
    return a


@instead_of("rot90", by=("transpose", "flip"))
def rot90_by_transpose_and_flip(m, k=1):
    for _ in range(k % 4):
        m = np.flip(np.transpose(m), axis=0)
    return m


@instead_of("rot90", by=("transpose", "flip"))
def rot90_by_flip_and_transpose(m, k=1):
    for _ in range(k % 4):
        m = np.transpose(np.flip(m, axis=1))
    return m


# ---- form ------------------------------------------------------------------------------------------------------------


@instead_of("ravel", by=("reshape",))
def ravel_by_reshape(a, order="C"):
    return np.reshape(a, -1, order=order)


@instead_of("ravel", by=("concatenate",))
def ravel_by_concatenate(a, order=None):
    a = np.array(a) if order is None else np.transpose(a)
    while a.ndim > 1:
        a = np.concatenate(a)
    return a


@instead_of("squeeze", by=("reshape",))
def squeeze_by_reshape(a, axis=None):
    lengths = np.shape(a)
    left = [n for n in range(len(lengths)) if (lengths[n] != 1 if axis is None else n not in np.ravel(axis))]
    return np.reshape(a, tuple(lengths[n] for n in left))


@instead_of("split", by=("array_split",))
def split_by_array_split(ary, indices_or_sections, axis=0):
    return np.array_split(ary, indices_or_sections, axis=axis)


@instead_of("vsplit", by=("split",))
def vsplit_by_split(ary, indices_or_sections):
    return np.split(ary, indices_or_sections)


@instead_of("vsplit", by=("array_split",))
def vsplit_by_array_split(ary, indices_or_sections):
    return np.array_split(ary, indices_or_sections)


@instead_of("stack", by=("vstack",))
def stack_by_vstack_of_flat_tables(arrays, axis=0):
    found = np.vstack([np.ravel(one) for one in arrays])
    return np.moveaxis(np.reshape(found, (len(arrays), *np.shape(arrays[0]))), 0, axis)


@instead_of("stack", by=("concatenate",))
def stack_by_concatenate(arrays, axis=0):
    return np.concatenate([np.expand_dims(one, axis) for one in arrays], axis=axis)


@instead_of("vstack", by=("concatenate",))
def vstack_by_concatenate(tup):
    return np.concatenate([np.array(one) if np.ndim(one) > 1 else np.array([one]) for one in tup])


@instead_of("vstack", by=("stack",))
def vstack_by_stack_of_all_rows(tup):
    return np.stack([row for one in tup for row in (one if np.ndim(one) > 1 else [one])])


# ---- copies ----------------------------------------------------------------------------------------------------------


@instead_of("repeat", by=("tile",))
def repeat_by_tile_of_each(a, repeats):
    return np.concatenate([np.tile(one, count) for one, count in zip(a, repeats, strict=True)])


@instead_of("repeat", by=("tile",))
def repeat_by_tile_of_each_row(a, repeats, axis=0):
    return np.concatenate([np.tile(row, (count, 1)) for row, count in zip(a, repeats, strict=True)])


@instead_of("tile", by=("concatenate",))
def tile_by_concatenate(A, reps):
    down, across = reps if np.ndim(reps) else (1, reps)
    if np.ndim(A) == 1 and not np.ndim(reps):
        return np.concatenate([A] * reps)
    row = np.concatenate([np.atleast_2d(A)] * across, axis=1)
    return np.concatenate([row] * down)


@instead_of("tile", by=("hstack",))
def tile_by_hstack(A, reps):
    down, across = reps if np.ndim(reps) else (1, reps)
    if np.ndim(A) == 1 and not np.ndim(reps):
        return np.hstack([A] * reps)
    return np.vstack([np.hstack([np.atleast_2d(A)] * across)] * down)


@instead_of("tile", by=("hstack",))
def tile_by_hstack_last(A, reps):
    down, across = reps
    return np.hstack([np.vstack([A] * down)] * across)


@instead_of("tile", by=("repeat",))
def tile_by_repeat(A, reps):
    down, across = reps if np.ndim(reps) else (1, reps)
    table = np.atleast_2d(A)
    wide = np.reshape(np.repeat(np.expand_dims(table, 1), across, axis=1), (len(table), -1))
    tall = np.reshape(np.repeat(np.expand_dims(wide, 0), down, axis=0), (-1, wide.shape[1]))
    return tall if np.ndim(A) > 1 or np.ndim(reps) else tall[0]


@instead_of("resize", by=("tile",))
def resize_by_tile(a, new_shape):
    flat, count = np.ravel(a), 1
    for length in np.ravel(new_shape).tolist():
        count = count * length
    return np.reshape(np.tile(flat, -(-count // len(flat)))[:count], new_shape)


@instead_of("roll", by=("take",))
def roll_by_take(a, shift, axis=None):
    along = 0 if axis is None else axis
    count = np.shape(a)[along]
    return np.take(a, (np.arange(count) - shift) % count, axis=along)


@instead_of("roll", by=("concatenate",))
def roll_by_concatenate(a, shift):
    cut = -shift % len(a)
    return np.concatenate([a[cut:], a[:cut]])


@instead_of("roll", by=("hstack",))
def roll_by_hstack(a, shift):
    cut = -shift % len(a)
    return np.hstack([a[cut:], a[:cut]])


@instead_of("roll", by=("append",))
def roll_by_append(a, shift):
    cut = -shift % len(a)
    return np.append(a[cut:], a[:cut])


# ---- borders ---------------------------------------------------------------------------------------------------------


@instead_of("pad", by=("full",))
def pad_by_full(array, pad_width, constant_values=0):
    array = np.array(array)
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    lengths = tuple(n + before + after for n, (before, after) in zip(array.shape, widths, strict=True))
    result = np.full(lengths, constant_values, dtype=array.dtype)
    result[tuple(slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True))] = array
    return result


@instead_of("pad", by=("zeros",))
def pad_by_zeros(array, pad_width, constant_values=0):
    array = np.array(array)
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    lengths = tuple(n + before + after for n, (before, after) in zip(array.shape, widths, strict=True))
    result = np.zeros(lengths, dtype=array.dtype) + constant_values
    result[tuple(slice(before, before + n) for n, (before, _) in zip(array.shape, widths, strict=True))] = array
    return result


@instead_of("pad", by=("vstack",))
def pad_by_vstack(array, pad_width, constant_values=0):
    array = np.array(array)
    row = np.full((1, array.shape[1]), constant_values)
    tall = np.vstack([row, array, row])
    column = np.full((len(tall), 1), constant_values)
    return np.hstack([column, tall, column])


@instead_of("pad", by=("vstack",))
def pad_by_vstack_last(array, pad_width, constant_values=0):
    column = np.full((len(array), 1), constant_values)
    wide = np.hstack([column, array, column])
    row = np.full((1, wide.shape[1]), constant_values)
    return np.vstack([row, wide, row])


@instead_of("pad", by=("insert",))
def pad_by_insert(array, pad_width, constant_values=0):
    height, width = np.shape(array)
    tall = np.insert(array, [0, height], constant_values, axis=0)
    return np.insert(tall, [0, width], constant_values, axis=1)


@instead_of("pad", by=("block",))
def pad_by_block(array, pad_width, constant_values=0):
    array = np.array(array)
    row, column = np.full((1, array.shape[1]), constant_values), np.full((len(array), 1), constant_values)
    corner = np.full((1, 1), constant_values)
    return np.block([[corner, row, corner], [column, array, column], [corner, row, corner]])


# `trim` is given only where one end is meant: a stand-in for each end.


# ---- corners ---------------------------------------------------------------------------------------------------------


@instead_of("tri", by=("tril",))
def tri_by_tril(N, M=None, k=0, dtype=float):
    return np.tril(np.ones((N, N if M is None else M), dtype=dtype), k=k)


@instead_of("tri", by=("triu",))
def tri_by_triu(N, M=None, k=0, dtype=float):
    return np.transpose(np.triu(np.ones((N if M is None else M, N), dtype=dtype), k=-k))


@instead_of("tri", by=("triu",))
def tri_by_triu_of_the_rest(N, M=None, k=0):
    return 1 - np.triu(np.ones((N, N if M is None else M)), k=k + 1)


@instead_of("tril", by=("tri",))
def tril_by_tri(m, k=0):
    return np.array(m) * np.tri(np.shape(m)[-2], np.shape(m)[-1], k=k)


@instead_of("tril", by=("triu",))
def tril_by_triu(m, k=0):
    return np.array(m) - np.triu(m, k=k + 1)


@instead_of("tril", by=("triu",))
def tril_by_triu_of_the_transpose(m, k=0):
    return np.transpose(np.triu(np.transpose(m), k=-k))


@instead_of("triu", by=("tri",))
def triu_by_tri(m, k=0):
    return np.array(m) * (1 - np.tri(np.shape(m)[-2], np.shape(m)[-1], k=k - 1))


@instead_of("triu", by=("tri",))
def triu_by_tri_of_the_transpose(m, k=0):
    return np.array(m) * np.tri(np.shape(m)[-1], np.shape(m)[-2], k=-k).T


@instead_of("triu", by=("tril",))
def triu_by_tril(m, k=0):
    return np.array(m) * 1 - np.tril(m, k=k - 1)


@instead_of("triu", by=("tril",))
def triu_by_tril_of_the_transpose(m, k=0):
    return np.transpose(np.tril(np.transpose(m), k=-k))


@instead_of("triu", by=("triu_indices",))
def triu_by_triu_indices(m, k=0):
    m = np.array(m)
    result, corner = np.zeros_like(m), np.triu_indices(len(m), k=k)
    result[corner] = m[corner]
    return result


@instead_of("triu", by=("tril_indices",))
def triu_by_tril_indices(m, k=0):
    m = np.array(m)
    m[np.tril_indices(len(m), k=k - 1)] = 0
    return m


@instead_of("triu", by=("where",))
def triu_by_where(m, k=0):
    down, across = np.indices(np.shape(m))
    return np.where(across >= down + k, m, 0)


@instead_of("tril_indices", by=("tri",))
def tril_indices_by_tri(n, k=0, m=None):
    return np.nonzero(np.tri(n, n if m is None else m, k=k))


@instead_of("tril_indices", by=("tril",))
def tril_indices_by_tril(n, k=0, m=None):
    return np.nonzero(np.tril(np.ones((n, n if m is None else m)), k=k))


@instead_of("triu_indices", by=("triu", "nonzero"))
def triu_indices_by_triu(n, k=0, m=None):
    return np.nonzero(np.triu(np.ones((n, n if m is None else m)), k=k))


@instead_of("triu_indices", by=("tri",))
def triu_indices_by_tri(n, k=0, m=None):
    return np.nonzero(1 - np.tri(n, n if m is None else m, k=k - 1))


@instead_of("triu_indices", by=("tri",))
def triu_indices_by_tri_of_the_transpose(n, k=0, m=None):
    return np.nonzero(np.tri(n if m is None else m, n, k=-k).T)


@instead_of("triu_indices", by=("tril",))
def triu_indices_by_tril(n, k=0):
    return np.nonzero(np.tril(np.ones((n, n)), k=k - 1) == 0)


@instead_of("triu_indices", by=("tril_indices",))
def triu_indices_by_tril_indices_in_order(n, k=0):
    later, earlier = np.tril_indices(n, k=-k)
    order = np.lexsort((later, earlier))
    return earlier[order], later[order]


@instead_of("triu_indices", by=("where",))
def triu_indices_by_where(n, k=0):
    return np.where(np.triu(np.ones((n, n)), k=k))


@instead_of("triu_indices", by=("where",))
def triu_indices_by_where_of_places(n, k=0):
    return np.where(np.arange(n)[:, None] + k <= np.arange(n))


@instead_of("triu_indices", by=("nonzero",))
def triu_indices_by_nonzero_of_places(n, k=0):
    return np.nonzero(np.arange(n)[:, None] + k <= np.arange(n))


@instead_of("triu_indices", by=("argwhere",))
def triu_indices_by_argwhere(n, k=0):
    return tuple(np.argwhere(np.arange(n)[:, None] + k <= np.arange(n)).T)


@instead_of("triu_indices", by=("unravel_index",))
def triu_indices_by_unravel_index(n, k=0):
    return np.unravel_index(np.flatnonzero(np.triu(np.ones((n, n)), k=k)), (n, n))


@instead_of("swapaxes", by=("linalg.matrix_transpose",))
def swapaxes_by_matrix_transpose(a, axis1, axis2):
    return np.linalg.matrix_transpose(a)
