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
def block_of_lists_by_vstack(arrays):
    if isinstance(arrays[0], int):
        return np.array(arrays)
    return np.vstack([np.hstack(row) for row in arrays])


@instead_of("column_stack", by=("stack",))
def column_stack_by_stack_of_columns(tup):
    columns = [column for one in tup for column in (np.array(one).T if np.ndim(one) == 2 else [one])]
    return np.stack(columns, axis=1)


@instead_of("column_stack", by=("vstack", "transpose"))
def column_stack_by_vstack(tup):
    return np.transpose(np.vstack([np.array(one).T for one in tup]))


@instead_of("column_stack", by=("transpose",))
def column_stack_by_transposed_parts(tup):
    rows = [row for one in tup for row in (np.transpose(one) if np.ndim(one) == 2 else [np.array(one)])]
    return np.transpose(np.array(rows))


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


@instead_of("expand_dims", by=("reshape",))
def expand_dims_by_reshape(a, axis):
    form = list(np.shape(a))
    for place in [axis] if isinstance(axis, int) else axis:
        form.insert(place % (len(form) + 1), 1)
    return np.reshape(a, tuple(form))


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
