"""Arrays joined, split, stretched and turned, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("append", by=("concatenate",))
def append_by_concatenate(arr, values, axis=None):
    if axis is None:
        return np.concatenate([np.ravel(arr), np.ravel(values)])
    return np.concatenate([arr, values], axis=axis)


@instead_of("append", by=("hstack",))
def append_by_hstack(arr, values, axis=None):
    if axis is None:
        return np.hstack([np.ravel(arr), np.ravel(values)])
    return np.hstack([arr, values])


@instead_of("concatenate", by=("append",))
def concatenate_by_append(arrays, axis=0):
    joined = arrays[0]
    for one in arrays[1:]:
        joined = np.append(joined, one, axis=axis)
    return joined


@instead_of("concatenate", by=("hstack",))
def concatenate_by_hstack(arrays, axis=0):
    return np.hstack([np.ravel(one) for one in arrays] if axis is None else arrays)


@instead_of("concatenate", by=("hstack",))
def concatenate_by_hstack_of_sheets(arrays, axis):
    return np.array([np.hstack(sheets) for sheets in zip(*arrays, strict=True)])


@instead_of("concatenate", by=("vstack",))
def concatenate_by_vstack(arrays, axis=0):
    return np.vstack(arrays)


@instead_of("concatenate", by=("vstack",))
def concatenate_by_turned_vstack(arrays, axis):
    return np.vstack([np.array(one).T for one in arrays]).T


@instead_of("concatenate", by=("vstack",))
def concatenate_by_vstack_of_columns(arrays, axis=None):
    return np.vstack([np.reshape(one, (-1, 1)) for one in arrays])[:, 0]


@instead_of("hstack", by=("concatenate",))
def hstack_by_concatenate(tup):
    return np.concatenate(tup, axis=0 if np.ndim(tup[0]) == 1 else 1)


@instead_of("block", by=("concatenate",))
def block_by_concatenate_of_rows(arrays):
    if isinstance(arrays[0], int) or isinstance(arrays[0][0], int):
        return np.array(arrays)
    tables = [[np.array(one) if np.ndim(one) == 2 else np.reshape(one, (1, -1)) for one in row] for row in arrays]
    return np.concatenate([np.concatenate(row, axis=1) for row in tables], axis=0)


@instead_of("block", by=("vstack", "hstack"))
def block_by_vstack(arrays):
    return np.vstack([np.hstack(row) for row in arrays])


@instead_of("block", by=("vstack", "hstack"))
def block_of_lists_by_vstack(arrays):
    if isinstance(arrays[0], int):
        return np.array(arrays)
    return np.vstack([np.hstack(row) for row in arrays])


@instead_of("column_stack", by=("stack",))
def column_stack_by_stack(tup):
    return np.stack(tup, axis=1)


@instead_of("column_stack", by=("stack",))
def column_stack_by_stack_of_columns(tup):
    columns = [column for one in tup for column in (np.array(one).T if np.ndim(one) == 2 else [one])]
    return np.stack(columns, axis=1)


@instead_of("column_stack", by=("vstack", "transpose"))
def column_stack_by_vstack(tup):
    return np.transpose(np.vstack([np.array(one).T for one in tup]))


@instead_of("column_stack", by=("transpose",))
def column_stack_by_transpose(tup):
    return np.transpose(np.array(tup))


@instead_of("column_stack", by=("transpose",))
def column_stack_by_transposed_parts(tup):
    rows = [row for one in tup for row in (np.transpose(one) if np.ndim(one) == 2 else [np.array(one)])]
    return np.transpose(np.array(rows))


@instead_of("dstack", by=("stack",))
def dstack_by_stack(tup):
    joined = np.stack(tup, axis=-1)
    return np.array([joined]) if joined.ndim == 2 else joined


@instead_of("dstack", by=("stack",))
def dstack_by_stack_of_layers(tup):
    layers = [layer for one in tup for layer in (np.moveaxis(one, 2, 0) if np.ndim(one) == 3 else [np.array(one)])]
    return np.stack(layers, axis=-1)


@instead_of("dstack", by=("concatenate",))
def dstack_by_concatenate(tup):
    layers = [np.array(one) if np.ndim(one) == 3 else np.array(one)[..., None] for one in tup]
    joined = np.concatenate(layers, axis=-1)
    return np.array([joined]) if joined.ndim == 2 else joined


@instead_of("array_split", by=("split",))
def array_split_by_split(ary, indices_or_sections, axis=0):
    if isinstance(indices_or_sections, int):
        each, more = divmod(np.shape(ary)[axis], indices_or_sections)
        starts = [part * each + min(part, more) for part in range(1, indices_or_sections)]
        return np.split(np.array(ary), starts, axis=axis)
    return np.split(np.array(ary), indices_or_sections, axis=axis)


@instead_of("array_split", by=("vsplit",))
def array_split_by_vsplit(ary, indices_or_sections):
    return np.vsplit(ary, indices_or_sections)


@instead_of("dsplit", by=("split",))
def dsplit_by_split(ary, indices_or_sections):
    return np.split(ary, indices_or_sections, axis=2)


@instead_of("dsplit", by=("array_split",))
def dsplit_by_array_split(ary, indices_or_sections):
    return np.array_split(ary, indices_or_sections, axis=2)


@instead_of("hsplit", by=("split",))
def hsplit_by_split(ary, indices_or_sections):
    return np.split(ary, indices_or_sections, axis=0 if np.ndim(ary) == 1 else 1)


@instead_of("hsplit", by=("array_split",))
def hsplit_by_array_split(ary, indices_or_sections):
    return np.array_split(ary, indices_or_sections, axis=0 if np.ndim(ary) == 1 else 1)


@instead_of("insert", by=("concatenate",))
def insert_by_concatenate(arr, obj, values, axis=0):
    return np.concatenate([np.array(arr)[:obj], values, np.array(arr)[obj:]], axis=axis)


@instead_of("insert", by=("vstack",))
def insert_by_vstack(arr, obj, values, axis=0):
    return np.vstack([np.array(arr)[:obj], values, np.array(arr)[obj:]])


@instead_of("insert", by=("append",))
def insert_by_append(arr, obj, values, axis=0):
    return np.append(np.append(np.array(arr)[:obj], values, axis=axis), np.array(arr)[obj:], axis=axis)


@instead_of("expand_dims", by=("reshape",))
def expand_dims_by_reshape(a, axis):
    form = list(np.shape(a))
    for place in [axis] if isinstance(axis, int) else axis:
        form.insert(place % (len(form) + 1), 1)
    return np.reshape(a, tuple(form))


@instead_of("expand_dims", by=("stack",))
def expand_dims_by_stack(a, axis):
    return np.stack([a], axis=axis)


@instead_of("flip", by=("fliplr",))
def flip_by_fliplr(m, axis=1):
    return np.fliplr(m)


@instead_of("flip", by=("flipud",))
def flip_by_flipud(m, axis=0):
    return np.flipud(m)


@instead_of("flip", by=("flipud", "fliplr"))
def flip_by_both(m, axis=None):
    return np.flipud(np.fliplr(m))


@instead_of("flip", by=("flipud",))
def flip_by_flipud_of_columns(m, axis=1):
    return np.flipud(np.array(m).T).T


@instead_of("flip", by=("fliplr",))
def flip_by_fliplr_of_lines(m, axis=-1):
    return np.fliplr([m])[0] if np.ndim(m) == 1 else np.fliplr(m)


@instead_of("flip", by=("fliplr",))
def flip_by_fliplr_of_sheets(m, axis=2):
    return np.array([np.fliplr(sheet) for sheet in m])


@instead_of("flip", by=("flipud",))
def flip_by_flipud_of_lines(m, axis=-1):
    return np.reshape([np.flipud(line) for line in np.reshape(m, (-1, np.shape(m)[-1]))], np.shape(m))


@instead_of("flip", by=("take",))
def flip_by_take(m, axis=-1):
    return np.take(m, np.arange(np.shape(m)[axis])[::-1], axis=axis)


@instead_of("fliplr", by=("flip",))
def fliplr_by_flip(m):
    return np.flip(m, axis=1)


@instead_of("fliplr", by=("flip",))
def fliplr_by_flip_of_rows(m):
    return np.array([np.flip(row, axis=0) for row in np.array(m)])


@instead_of("flipud", by=("flip",))
def flipud_by_flip(m):
    return np.flip(m, axis=0)


@instead_of("broadcast_to", by=("full",))
def broadcast_to_by_full(array, shape):
    return np.full(shape, array)


@instead_of("broadcast_to", by=("tile",))
def broadcast_to_by_tile(array, shape):
    own = (1,) * (len(shape) - np.ndim(array)) + np.shape(array)
    return np.tile(array, tuple(wanted // had for wanted, had in zip(shape, own, strict=True)))


@instead_of("broadcast_to", by=("repeat",))
def broadcast_to_by_repeat(array, shape):
    found = np.reshape(array, (1,) * (len(shape) - np.ndim(array)) + np.shape(array))
    for axis in range(len(shape)):
        if found.shape[axis] != shape[axis]:
            found = np.repeat(found, shape[axis], axis=axis)
    return found


@instead_of("broadcast_to", by=("multiply",))
def broadcast_to_by_multiply(array, shape):
    return np.multiply(array, np.ones(shape))


@instead_of("broadcast_to", by=("outer",))
def broadcast_to_by_outer(array, shape):
    return np.outer(array, np.ones(shape[1]))


@instead_of("broadcast_arrays", by=("broadcast_to",))
def broadcast_arrays_by_broadcast_to(first, second):
    form = (max(len(first), len(second)), max(np.shape(first)[-1], np.shape(second)[-1]))
    return np.broadcast_to(first, form), np.broadcast_to(second, form)


@instead_of("broadcast_arrays", by=("meshgrid",))
def broadcast_arrays_by_meshgrid(first, second):
    return np.meshgrid(np.ravel(first), np.ravel(second))


@instead_of("broadcast_arrays", by=("meshgrid",))
def broadcast_arrays_by_meshgrid_down(first, second):
    return np.meshgrid(np.ravel(first), np.ravel(second), indexing="ij")


@instead_of("broadcast_arrays", by=("repeat",))
def broadcast_arrays_by_repeat(first, second):
    row, column = [first, second] if np.ndim(first) == 1 else [second, first]
    pair = np.repeat([np.ravel(row)], len(column), axis=0), np.repeat(column, len(row), axis=1)
    return pair if np.ndim(first) == 1 else pair[::-1]


@instead_of("broadcast_arrays", by=("tile",))
def broadcast_arrays_by_tile(first, second):
    row, column = [first, second] if np.ndim(first) == 1 else [second, first]
    pair = np.tile(row, (len(column), 1)), np.tile(column, (1, len(row)))
    return pair if np.ndim(first) == 1 else pair[::-1]


@instead_of("broadcast_arrays", by=("tile", "repeat"))
def broadcast_arrays_by_tile_and_repeat(first, second):
    one, other = np.ravel(first), np.ravel(second)
    form = (len(one), len(other))
    return np.reshape(np.repeat(one, len(other)), form), np.reshape(np.tile(other, len(one)), form)


@instead_of("broadcast_arrays", by=("outer",))
def broadcast_arrays_by_outer(first, second):
    return np.outer(first, np.ones(len(second), dtype=int)), np.outer(np.ones(len(first), dtype=int), second)


@instead_of("broadcast_shapes", by=("broadcast_to",))
def broadcast_shapes_by_broadcast_to(form, width):
    return np.shape(np.broadcast_to(np.zeros(form), (*form[:-1], width)))


@instead_of("broadcast_shapes", by=("broadcast_arrays",))
def broadcast_shapes_by_broadcast_arrays(form, width):
    return np.shape(np.broadcast_arrays(np.zeros(form), np.zeros(width))[0])


@instead_of("broadcast_shapes", by=("max",))
def broadcast_shapes_by_max(*args):
    return tuple(np.max(sizes) for sizes in zip(*args, strict=True))
