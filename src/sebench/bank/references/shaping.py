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


@instead_of("ones_like", by=("astype",))
def ones_like_by_astype(a, dtype=None):
    return np.astype(np.ones(np.shape(a)), dtype)


@instead_of("zeros_like", by=("zeros",))
def zeros_like_by_zeros(a, dtype=None, shape=None):
    return np.zeros(shape or np.shape(a), dtype=dtype or np.array(a).dtype)


@instead_of("zeros_like", by=("full",))
def zeros_like_by_full(a, dtype=None, shape=None):
    return np.full(shape or np.shape(a), 0, dtype=dtype or np.array(a).dtype)


@instead_of("zeros_like", by=("full_like",))
def zeros_like_by_full_like(a, dtype=None, shape=None):
    return np.full_like(a, 0, dtype=dtype, shape=shape)


@instead_of("zeros_like", by=("astype",))
def zeros_like_by_astype(a, dtype=None):
    return np.astype(np.zeros(np.shape(a)), dtype)


@instead_of("not_equal", by=("equal", "logical_not"))
def not_equal_by_equal(x1, x2):
    return np.logical_not(np.equal(x1, x2))


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


@instead_of("meshgrid", by=("tile",))
def meshgrid_by_tile(x, y):
    return np.tile(x, (len(y), 1)), np.tile(np.expand_dims(y, 1), (1, len(x)))


@instead_of("meshgrid", by=("tile",))
def meshgrid_by_tile_row_by_column(x, y, indexing=None):
    return np.tile(np.expand_dims(x, 1), (1, len(y))), np.tile(y, (len(x), 1))


@instead_of("meshgrid", by=("tile", "repeat"))
def meshgrid_by_tile_and_repeat(x, y):
    return np.tile(x, (len(y), 1)), np.reshape(np.repeat(y, len(x)), (len(y), len(x)))


@instead_of("meshgrid", by=("repeat", "tile"))
def meshgrid_by_repeat_and_tile(x, y, indexing=None):
    return np.reshape(np.repeat(x, len(y)), (len(x), len(y))), np.tile(y, (len(x), 1))


@instead_of("meshgrid", by=("repeat",))
def meshgrid_by_repeat(x, y):
    return np.repeat([x], len(y), axis=0), np.repeat(np.expand_dims(y, 1), len(x), axis=1)


@instead_of("meshgrid", by=("broadcast_to",))
def meshgrid_by_broadcast_to(x, y):
    shape = (len(y), len(x))
    return np.broadcast_to(x, shape), np.broadcast_to(np.expand_dims(y, 1), shape)


@instead_of("meshgrid", by=("broadcast_to",))
def meshgrid_by_broadcast_to_row_by_column(x, y, indexing=None):
    shape = (len(x), len(y))
    return np.broadcast_to(np.expand_dims(x, 1), shape), np.broadcast_to(y, shape)


@instead_of("meshgrid", by=("broadcast_to",))
def meshgrid_by_broadcast_to_of_three(x, y, z, indexing=None):
    shape = (len(x), len(y), len(z))
    x, y = np.reshape(x, (-1, 1, 1)), np.reshape(y, (-1, 1))
    return np.broadcast_to(x, shape), np.broadcast_to(y, shape), np.broadcast_to(z, shape)


@instead_of("meshgrid", by=("indices",))
def meshgrid_by_indices(x, y):
    down, across = np.indices((len(y), len(x)))
    return np.take(x, across), np.take(y, down)


@instead_of("meshgrid", by=("indices",))
def meshgrid_by_indices_row_by_column(x, y, indexing=None):
    down, across = np.indices((len(x), len(y)))
    return np.take(x, down), np.take(y, across)


@instead_of("meshgrid", by=("indices",))
def meshgrid_by_indices_of_three(x, y, z, indexing=None):
    first, second, third = np.indices((len(x), len(y), len(z)))
    return np.take(x, first), np.take(y, second), np.take(z, third)


@instead_of("meshgrid", by=("expand_dims",))
def meshgrid_by_expand_dims(x, y):
    return np.expand_dims(x, 0), np.expand_dims(y, 1)


@instead_of("meshgrid", by=("reshape",))
def meshgrid_by_reshape(x, y):
    return np.reshape(x, (1, -1)), np.reshape(y, (-1, 1))


@instead_of("meshgrid", by=("outer",))
def meshgrid_by_outer(x, y):
    return np.outer(np.ones(len(y)), x), np.outer(y, np.ones(len(x)))


@instead_of("meshgrid", by=("repeat", "tile"))
def meshgrid_by_repeat_and_tile_of_three(x, y, z, indexing=None):
    shape = (len(x), len(y), len(z))
    first, second = np.repeat(x, len(y) * len(z)), np.tile(np.repeat(y, len(z)), len(x))
    return np.reshape(first, shape), np.reshape(second, shape), np.reshape(np.tile(z, len(x) * len(y)), shape)


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


@instead_of("moveaxis", by=("swapaxes",))
def moveaxis_by_swapaxes_of_two_lists(a, source, destination):
    return np.swapaxes(a, source[0], destination[0])


@instead_of("swapaxes", by=("transpose",))
def swapaxes_by_transpose(a, axis1, axis2):
    order = list(range(np.ndim(a)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return np.transpose(a, order)


@instead_of("swapaxes", by=("moveaxis",))
def swapaxes_by_moveaxis(a, axis1, axis2):
    return np.moveaxis(a, axis1, axis2)


@instead_of("swapaxes", by=("linalg.matrix_transpose",))
def swapaxes_by_matrix_transpose(a, axis1, axis2):
    return np.linalg.matrix_transpose(np.array(a))


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


@instead_of("rot90", by=("transpose", "flip"))
def rot90_back_by_transpose_and_flip(m, k=1):
    for _ in range(-k % 4):
        m = np.flip(np.transpose(m), axis=1)
    return m


@instead_of("rot90", by=("flip",))
def rot90_by_flip(m, k=2):
    return np.flip(m)


@instead_of("rot90", by=("flip",))
def rot90_by_flip_of_both_axes(m, k=2):
    return np.flip(np.flip(m, axis=0), axis=1)


@instead_of("rot90", by=("swapaxes", "flip"))
def rot90_by_swapaxes(m, axes=None):
    return np.flip(np.swapaxes(m, 1, 2), axis=1)


@instead_of("rot90", by=("moveaxis",))
def rot90_by_moveaxis(m, axes=None):
    return np.flip(np.moveaxis(m, 1, 2), axis=1)


@instead_of("rot90", by=("linalg.matrix_transpose",))
def rot90_by_matrix_transpose(m, axes=None):
    return np.flip(np.linalg.matrix_transpose(np.array(m)), axis=1)


@instead_of("rot90", by=("transpose",))
def rot90_by_transpose(m, axes=None):
    return np.flip(np.transpose(m, (0, 2, 1)), axis=1)


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


@instead_of("squeeze", by=("ravel",))
def squeeze_by_ravel(a, axis=None):
    return np.ravel(a)


@instead_of("squeeze", by=("ravel",))
def squeeze_by_ravel_of_each(a, axis=None):
    return np.array([np.ravel(part) for part in a])


@instead_of("split", by=("array_split",))
def split_by_array_split(ary, indices_or_sections, axis=0):
    return np.array_split(ary, indices_or_sections, axis=axis)


@instead_of("vsplit", by=("split",))
def vsplit_by_split(ary, indices_or_sections):
    return np.split(ary, indices_or_sections)


@instead_of("vsplit", by=("array_split",))
def vsplit_by_array_split(ary, indices_or_sections):
    return np.array_split(ary, indices_or_sections)


@instead_of("stack", by=("column_stack",))
def stack_by_column_stack(arrays, axis=0):
    return np.column_stack(arrays)


@instead_of("stack", by=("column_stack",))
def stack_by_column_stack_and_reshape(arrays, axis=0):
    found = np.column_stack([np.ravel(one) for one in arrays])
    return np.reshape(found, (*np.shape(arrays[0]), len(arrays)))


@instead_of("stack", by=("vstack", "transpose"))
def stack_by_vstack(arrays, axis=0):
    return np.transpose(np.vstack(arrays))


@instead_of("stack", by=("vstack",))
def stack_by_vstack_of_flat_tables(arrays, axis=0):
    found = np.vstack([np.ravel(one) for one in arrays])
    return np.moveaxis(np.reshape(found, (len(arrays), *np.shape(arrays[0]))), 0, axis)


@instead_of("stack", by=("transpose",))
def stack_by_transpose(arrays, axis=0):
    return np.transpose(np.array(arrays))


@instead_of("stack", by=("transpose",))
def stack_by_transpose_of_tables(arrays, axis=0):
    return np.transpose(np.array(arrays), (1, 2, 0) if axis == -1 else (1, 0, 2))


@instead_of("stack", by=("concatenate",))
def stack_by_concatenate(arrays, axis=0):
    return np.concatenate([np.expand_dims(one, axis) for one in arrays], axis=axis)


@instead_of("stack", by=("dstack",))
def stack_by_dstack(arrays, axis=0):
    found = np.dstack(arrays)
    return found[0] if np.ndim(arrays[0]) == 1 else found


@instead_of("stack", by=("dstack",))
def stack_by_dstack_between(arrays, axis=0):
    return np.swapaxes(np.dstack(arrays), 1, 2)


@instead_of("vstack", by=("concatenate",))
def vstack_by_concatenate(tup):
    return np.concatenate([np.array(one) if np.ndim(one) > 1 else np.array([one]) for one in tup])


@instead_of("vstack", by=("stack",))
def vstack_by_stack(tup):
    return np.stack(tup)


@instead_of("vstack", by=("stack",))
def vstack_by_stack_of_all_rows(tup):
    return np.stack([row for one in tup for row in (one if np.ndim(one) > 1 else [one])])


# ---- copies ----------------------------------------------------------------------------------------------------------


@instead_of("repeat", by=("tile",))
def repeat_by_tile(a, repeats, axis=None):
    a = np.array(a)
    if axis is None:
        return np.ravel(np.tile(np.expand_dims(np.ravel(a), 1), (1, repeats)))
    if axis == 0:
        return np.reshape(np.tile(a, (1, repeats)), (-1, a.shape[1]))
    return np.reshape(np.tile(np.expand_dims(a, 2), (1, 1, repeats)), (len(a), -1))


@instead_of("repeat", by=("tile",))
def repeat_by_tile_of_each(a, repeats):
    return np.concatenate([np.tile(one, count) for one, count in zip(a, repeats, strict=True)])


@instead_of("repeat", by=("tile",))
def repeat_by_tile_of_each_row(a, repeats, axis=0):
    return np.concatenate([np.tile(row, (count, 1)) for row, count in zip(a, repeats, strict=True)])


@instead_of("repeat", by=("full", "concatenate"))
def repeat_by_full_and_concatenate(a, repeats):
    counts = np.broadcast_to(repeats, np.shape(a)).tolist()
    return np.concatenate([np.full(count, one) for one, count in zip(a, counts, strict=True)])


@instead_of("repeat", by=("hstack",))
def repeat_by_hstack(a, repeats):
    return np.hstack([[one] * count for one, count in zip(a, repeats, strict=True)])


@instead_of("repeat", by=("append",))
def repeat_by_append(a, repeats):
    first, second = np.broadcast_to(repeats, 2).tolist()
    return np.append([a[0]] * first, [a[1]] * second)


@instead_of("repeat", by=("ones",))
def repeat_by_ones(a, repeats):
    ones = np.ones(repeats, dtype=int)
    return np.concatenate([ones, -ones])


@instead_of("repeat", by=("ones_like",))
def repeat_by_ones_like(a, repeats):
    ones = np.ones_like(np.arange(repeats))
    return np.concatenate([ones, -ones])


@instead_of("repeat", by=("full_like",))
def repeat_by_full_like(a, repeats):
    return np.concatenate([np.full_like(np.arange(repeats), one) for one in a])


@instead_of("repeat", by=("where",))
def repeat_by_where(a, repeats):
    return np.where(np.arange(2 * repeats) < repeats, a[0], a[1])


@instead_of("repeat", by=("meshgrid",))
def repeat_by_meshgrid(a, repeats):
    return np.ravel(np.meshgrid(a, np.arange(repeats))[0].T)


@instead_of("repeat", by=("broadcast_to",))
def repeat_by_broadcast_to(a, repeats):
    return np.ravel(np.broadcast_to(np.expand_dims(a, 1), (len(a), repeats)))


@instead_of("repeat", by=("outer",))
def repeat_by_outer(a, repeats):
    return np.ravel(np.outer(a, np.ones(repeats, dtype=int)))


@instead_of("repeat", by=("expand_dims",))
def repeat_by_expand_dims(a, repeats):
    return np.ravel(np.expand_dims(a, 1) + np.zeros(repeats, dtype=int))


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


@instead_of("tile", by=("vstack",))
def tile_by_vstack(A, reps):
    down, across = reps
    return np.vstack([np.hstack([A] * across)] * down)


@instead_of("tile", by=("block",))
def tile_by_block(A, reps):
    down, across = reps
    return np.block([[np.array(A)] * across] * down)


@instead_of("tile", by=("kron",))
def tile_by_kron(A, reps):
    return np.kron(np.ones(reps, dtype=int), A)


@instead_of("tile", by=("repeat",))
def tile_by_repeat(A, reps):
    down, across = reps if np.ndim(reps) else (1, reps)
    table = np.atleast_2d(A)
    wide = np.reshape(np.repeat(np.expand_dims(table, 1), across, axis=1), (len(table), -1))
    tall = np.reshape(np.repeat(np.expand_dims(wide, 0), down, axis=0), (-1, wide.shape[1]))
    return tall if np.ndim(A) > 1 or np.ndim(reps) else tall[0]


@instead_of("tile", by=("resize",))
def tile_by_resize(A, reps):
    down, across = reps
    wide = np.concatenate([A] * across, axis=1)
    return np.resize(wide, (len(A) * down, wide.shape[1]))


@instead_of("tile", by=("take",))
def tile_by_take(A, reps):
    height, width = np.shape(A)
    rows = np.take(A, np.arange(height * reps[0]) % height, axis=0)
    return np.take(rows, np.arange(width * reps[1]) % width, axis=1)


@instead_of("tile", by=("pad",))
def tile_by_pad(A, reps):
    height, width = np.shape(A)
    return np.pad(A, ((0, height * (reps[0] - 1)), (0, width * (reps[1] - 1))), mode="wrap")


@instead_of("tile", by=("broadcast_to",))
def tile_by_broadcast_to(A, reps):
    return np.ravel(np.broadcast_to(A, (reps, len(A))))


@instead_of("tile", by=("meshgrid",))
def tile_by_meshgrid(A, reps):
    return np.ravel(np.meshgrid(A, np.arange(reps))[0])


@instead_of("tile", by=("outer",))
def tile_by_outer(A, reps):
    return np.ravel(np.outer(np.ones(reps, dtype=int), A))


@instead_of("tile", by=("expand_dims",))
def tile_by_expand_dims(A, reps):
    return np.ravel(np.expand_dims(A, 0) + np.zeros((reps, 1), dtype=int))


@instead_of("resize", by=("tile",))
def resize_by_tile(a, new_shape):
    flat, count = np.ravel(a), 1
    for length in np.ravel(new_shape).tolist():
        count = count * length
    return np.reshape(np.tile(flat, -(-count // len(flat)))[:count], new_shape)


@instead_of("resize", by=("concatenate",))
def resize_by_concatenate(a, new_shape):
    flat = np.ravel(a)
    return np.concatenate([flat] * (new_shape // len(flat) + 1))[:new_shape]


@instead_of("resize", by=("take",))
def resize_by_take(a, new_shape):
    rows, columns = new_shape
    return np.reshape(np.take(a, np.arange(rows * columns) % np.size(a)), new_shape)


@instead_of("resize", by=("reshape",))
def resize_by_reshape(a, new_shape):
    rows, columns = new_shape
    return np.reshape(np.tile(np.ravel(a), rows * columns)[: rows * columns], new_shape)


@instead_of("resize", by=("repeat",))
def resize_by_repeat(a, new_shape):
    flat, count = np.ravel(a), np.prod(new_shape)
    return np.reshape(np.ravel(np.repeat([flat], count // len(flat) + 1, axis=0))[:count], new_shape)


@instead_of("roll", by=("take",))
def roll_by_take(a, shift, axis=None):
    along = 0 if axis is None else axis
    count = np.shape(a)[along]
    return np.take(a, (np.arange(count) - shift) % count, axis=along)


@instead_of("roll", by=("take",))
def roll_by_take_of_both_axes(a, shift, axis=None):
    height, width = np.shape(a)
    rows = np.take(a, (np.arange(height) - shift[0]) % height, axis=0)
    return np.take(rows, (np.arange(width) - shift[1]) % width, axis=1)


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


@instead_of("pad", by=("full",))
def pad_by_full_in_front_and_behind(array, pad_width, mode=None):
    before, after = np.broadcast_to(pad_width, 2).tolist()
    return np.concatenate([np.full(before, array[0]), array, np.full(after, array[-1])])


@instead_of("pad", by=("zeros",))
def pad_by_zeros_in_front_and_behind(array, pad_width):
    before, after = np.broadcast_to(pad_width, 2).tolist()
    return np.concatenate([np.zeros(before, dtype=int), array, np.zeros(after, dtype=int)])


@instead_of("pad", by=("zeros",))
def pad_by_zeros_and_the_ends(array, pad_width, mode=None):
    before, after = np.broadcast_to(pad_width, 2).tolist()
    result = np.zeros(before + len(array) + after)
    result[:before], result[before : before + len(array)] = array[0], array
    result[before + len(array) :] = array[-1]
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


@instead_of("pad", by=("hstack",))
def pad_by_hstack(array, pad_width, constant_values=0):
    column = np.full((len(array), 1), constant_values)
    wide = np.hstack([column, array, column])
    row = np.full((1, wide.shape[1]), constant_values)
    return np.vstack([row, wide, row])


@instead_of("pad", by=("concatenate",))
def pad_by_concatenate(array, pad_width, constant_values=0):
    column = np.full((len(array), 1), constant_values)
    wide = np.concatenate([column, array, column], axis=1)
    row = np.full((1, wide.shape[1]), constant_values)
    return np.concatenate([row, wide, row])


@instead_of("pad", by=("append",))
def pad_by_append(array, pad_width, constant_values=0):
    row = [[constant_values] * np.shape(array)[1]]
    tall = np.append(np.append(row, array, axis=0), row, axis=0)
    column = [[constant_values]] * len(tall)
    return np.append(np.append(column, tall, axis=1), column, axis=1)


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


@instead_of("pad", by=("fliplr", "hstack"))
def pad_by_fliplr_on_both_sides(array, pad_width, mode=None):
    array, width = np.array(array), pad_width[1][0]
    return np.hstack([np.fliplr(array[:, :width]), array, np.fliplr(array[:, array.shape[1] - width :])])


@instead_of("pad", by=("flip", "concatenate"))
def pad_by_flip_on_both_sides(array, pad_width, mode=None):
    array, width = np.array(array), pad_width[1][0]
    left, right = np.flip(array[:, :width], axis=1), np.flip(array[:, array.shape[1] - width :], axis=1)
    return np.concatenate([left, array, right], axis=1)


@instead_of("pad", by=("take",))
def pad_by_take_on_both_sides(array, pad_width, mode=None):
    width, count = pad_width[1][0], np.shape(array)[1]
    places = [*range(width)[::-1], *range(count), *range(count - width, count)[::-1]]
    return np.take(array, places, axis=1)


@instead_of("pad", by=("fliplr", "hstack"))
def pad_by_fliplr_on_the_right(array, pad_width, mode=None):
    return np.hstack([array, np.fliplr(array)[:, 1:]])


@instead_of("pad", by=("flip", "concatenate"))
def pad_by_flip_on_the_right(array, pad_width, mode=None):
    return np.concatenate([array, np.flip(array, axis=1)[:, 1:]], axis=1)


@instead_of("pad", by=("append",))
def pad_by_append_on_the_right(array, pad_width, mode=None):
    return np.append(array, np.flip(array, axis=1)[:, 1:], axis=1)


@instead_of("pad", by=("linspace", "concatenate"))
def pad_by_linspace(array, pad_width, mode=None, end_values=0):
    rise = np.linspace(end_values, array[0], pad_width + 1)[:-1]
    fall = np.linspace(array[-1], end_values, pad_width + 1)[1:]
    return np.concatenate([rise, array, fall])


@instead_of("pad", by=("interp",))
def pad_by_interp(array, pad_width, mode=None, end_values=0):
    places = [0, *range(pad_width, pad_width + len(array)), 2 * pad_width + len(array) - 1]
    return np.interp(np.arange(places[-1] + 1), places, [end_values, *array, end_values])


# `trim` is given only where one end is meant: a stand-in for each end.


@instead_of("trim_zeros", by=("flatnonzero",))
def trim_zeros_by_flatnonzero(filt):
    there = np.flatnonzero(filt)
    return filt[there[0] : there[-1] + 1] if len(there) else filt[:0]


@instead_of("trim_zeros", by=("nonzero",))
def trim_zeros_by_nonzero(filt):
    there = np.nonzero(filt)[0]
    return filt[there[0] : there[-1] + 1] if len(there) else filt[:0]


@instead_of("trim_zeros", by=("flatnonzero",))
def trim_zeros_in_front_by_flatnonzero(filt, trim=None):
    there = np.flatnonzero(filt)
    return filt[there[0] :] if len(there) else filt[:0]


@instead_of("trim_zeros", by=("nonzero",))
def trim_zeros_in_front_by_nonzero(filt, trim=None):
    there = np.nonzero(filt)[0]
    return filt[there[0] :] if len(there) else filt[:0]


@instead_of("trim_zeros", by=("flatnonzero",))
def trim_zeros_behind_by_flatnonzero(filt, trim=None):
    there = np.flatnonzero(filt)
    return filt[: there[-1] + 1] if len(there) else filt[:0]


@instead_of("trim_zeros", by=("nonzero",))
def trim_zeros_behind_by_nonzero(filt, trim=None):
    there = np.nonzero(filt)[0]
    return filt[: there[-1] + 1] if len(there) else filt[:0]


@instead_of("trim_zeros", by=("nonzero",))
def trim_zeros_of_a_table_by_nonzero(filt):
    rows, columns = np.nonzero(filt)
    if not len(rows):
        return filt[:0, :0]
    return filt[np.min(rows) : np.max(rows) + 1, np.min(columns) : np.max(columns) + 1]


@instead_of("trim_zeros", by=("flatnonzero",))
def trim_zeros_of_a_table_by_flatnonzero(filt):
    rows, columns = np.flatnonzero(np.any(filt, axis=1)), np.flatnonzero(np.any(filt, axis=0))
    if not len(rows):
        return filt[:0, :0]
    return filt[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@instead_of("trim_zeros", by=("flatnonzero", "any"))
def trim_zeros_of_rows_by_flatnonzero(filt, axis=0):
    rows = np.flatnonzero(np.any(filt, axis=1))
    return filt[rows[0] : rows[-1] + 1] if len(rows) else filt[:0]


@instead_of("trim_zeros", by=("nonzero",))
def trim_zeros_of_rows_by_nonzero(filt, axis=0):
    rows = np.nonzero(np.any(filt, axis=1))[0]
    return filt[rows[0] : rows[-1] + 1] if len(rows) else filt[:0]


@instead_of("trim_zeros", by=("where",))
def trim_zeros_of_rows_by_where(filt, axis=0):
    rows = np.where(np.any(filt, axis=1))[0]
    return filt[rows[0] : rows[-1] + 1] if len(rows) else filt[:0]


@instead_of("trim_zeros", by=("argwhere",))
def trim_zeros_of_rows_by_argwhere(filt, axis=0):
    places = np.argwhere(filt)
    return filt[places[0, 0] : places[-1, 0] + 1] if len(places) else filt[:0]


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


@instead_of("tri", by=("tril_indices",))
def tri_by_tril_indices(N, k=0):
    result = np.zeros((N, N))
    result[np.tril_indices(N, k=k)] = 1
    return result


@instead_of("tri", by=("triu_indices",))
def tri_by_triu_indices(N, k=0):
    result = np.ones((N, N))
    result[np.triu_indices(N, k=k + 1)] = 0
    return result


@instead_of("tri", by=("greater_equal",))
def tri_by_greater_equal(N, k=0):
    return np.greater_equal(np.arange(N)[:, None] + k, np.arange(N))


@instead_of("tril", by=("tri",))
def tril_by_tri(m, k=0):
    return np.array(m) * np.tri(np.shape(m)[-2], np.shape(m)[-1], k=k)


@instead_of("tril", by=("triu",))
def tril_by_triu(m, k=0):
    return np.array(m) - np.triu(m, k=k + 1)


@instead_of("tril", by=("triu",))
def tril_by_triu_of_the_transpose(m, k=0):
    return np.transpose(np.triu(np.transpose(m), k=-k))


@instead_of("tril", by=("tril_indices",))
def tril_by_tril_indices(m, k=0):
    m = np.array(m)
    result, corner = np.zeros_like(m), np.tril_indices(len(m), k=k, m=m.shape[1])
    result[corner] = m[corner]
    return result


@instead_of("tril", by=("triu_indices",))
def tril_by_triu_indices(m, k=0):
    m = np.array(m)
    m[np.triu_indices(len(m), k=k + 1, m=m.shape[1])] = 0
    return m


@instead_of("tril", by=("where",))
def tril_by_where(m, k=0):
    down, across = np.indices(np.shape(m))
    return np.where(across <= down + k, m, 0)


@instead_of("tril", by=("indices",))
def tril_by_indices(m, k=0):
    down, across = np.indices(np.shape(m))
    return np.array(m) * (across <= down + k)


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


@instead_of("triu", by=("eye",))
def triu_by_eye(m, k=0):
    return (np.array(m) - np.eye(len(m))) / 2


@instead_of("tril_indices", by=("tri",))
def tril_indices_by_tri(n, k=0, m=None):
    return np.nonzero(np.tri(n, n if m is None else m, k=k))


@instead_of("tril_indices", by=("tril",))
def tril_indices_by_tril(n, k=0, m=None):
    return np.nonzero(np.tril(np.ones((n, n if m is None else m)), k=k))


@instead_of("tril_indices", by=("nonzero",))
def tril_indices_by_nonzero(n, k=0, m=None):
    return np.nonzero(np.arange(m) <= np.arange(n)[:, None])


@instead_of("tril_indices", by=("where",))
def tril_indices_by_where(n, k=0, m=None):
    return np.where(np.arange(m) <= np.arange(n)[:, None])


@instead_of("tril_indices", by=("argwhere",))
def tril_indices_by_argwhere(n, k=0, m=None):
    return tuple(np.argwhere(np.arange(m) <= np.arange(n)[:, None]).T)


@instead_of("tril_indices", by=("triu_indices",))
def tril_indices_by_triu_indices(n, k=0):
    earlier, later = np.triu_indices(n, k=-k)
    return later, earlier


@instead_of("tril_indices", by=("triu",))
def tril_indices_by_triu(n, k=0):
    earlier, later = np.nonzero(np.triu(np.ones((n, n)), k=-k))
    return later, earlier


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
def triu_indices_by_tril_indices(n, k=0):
    later, earlier = np.tril_indices(n, k=-k)
    return earlier, later


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


@instead_of("triu_indices", by=("identity",))
def triu_indices_by_identity(n, k=0):
    return np.nonzero(np.identity(n) == 0)


@instead_of("triu_indices", by=("eye",))
def triu_indices_by_eye(n, k=0):
    return np.nonzero(np.eye(n) == 0)


@instead_of("triu_indices", by=("diag_indices",))
def triu_indices_by_diag_indices(n, k=0):
    pairs = np.ones((n, n))
    pairs[np.diag_indices(n)] = 0
    return np.nonzero(pairs)


@instead_of("triu_indices", by=("fill_diagonal",))
def triu_indices_by_fill_diagonal(n, k=0):
    pairs = np.ones((n, n))
    np.fill_diagonal(pairs, 0)
    return np.nonzero(pairs)
