"""Products of vectors and tables, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("matmul", by=("dot",))
def matmul_by_dot(x1, x2):
    return np.array([np.dot(x1, table) for table in np.array(x2)])


@instead_of("matmul", by=("tensordot",))
def matmul_by_tensordot(x1, x2):
    return np.tensordot(x2, x1, axes=([1], [0]))


@instead_of("matmul", by=("einsum",))
def matmul_by_einsum(x1, x2):
    return np.einsum("i,kij->kj", x1, x2)


@instead_of("matmul", by=("inner",))
def matmul_by_inner(x1, x2):
    return np.inner(np.swapaxes(x2, 1, 2), x1)


@instead_of("matmul", by=("linalg.vecdot",))
def matmul_by_vecdot(x1, x2):
    return np.linalg.vecdot(np.swapaxes(x2, 1, 2), x1)


@instead_of("matmul", by=("sum",))
def matmul_by_sum(x1, x2):
    return np.sum(np.expand_dims(x1, 1) * np.array(x2), axis=1)


@instead_of("outer", by=("einsum",))
def outer_by_einsum(a, b):
    return np.einsum("i,j->ij", np.ravel(a), np.ravel(b))


@instead_of("outer", by=("multiply",))
def outer_by_multiply(a, b):
    return np.multiply(np.expand_dims(np.ravel(a), 1), np.ravel(b))


@instead_of("outer", by=("kron",))
def outer_by_kron(a, b):
    return np.reshape(np.kron(np.ravel(a), np.ravel(b)), (np.size(a), np.size(b)))


@instead_of("vdot", by=("dot",))
def vdot_by_dot(a, b):
    return np.dot(np.conjugate(np.ravel(a)), np.ravel(b))


@instead_of("vdot", by=("inner",))
def vdot_by_inner(a, b):
    return np.inner(np.conjugate(np.ravel(a)), np.ravel(b))


@instead_of("vdot", by=("einsum",))
def vdot_by_einsum(a, b):
    return np.einsum("i,i->", np.conjugate(np.ravel(a)), np.ravel(b))


@instead_of("vdot", by=("linalg.vecdot",))
def vdot_by_vecdot(a, b):
    return np.linalg.vecdot(np.ravel(a), np.ravel(b))


@instead_of("vdot", by=("sum", "conjugate"))
def vdot_by_sum(a, b):
    return np.sum(np.conjugate(a) * np.array(b))


@instead_of("tensordot", by=("dot",))
def tensordot_by_dot(a, b, axes=1):
    return np.reshape(np.dot(a, np.reshape(b, (len(b), -1))), np.shape(a)[:-1] + np.shape(b)[1:])


@instead_of("tensordot", by=("matmul",))
def tensordot_by_matmul(a, b, axes=1):
    return np.reshape(np.matmul(a, np.reshape(b, (len(b), -1))), np.shape(a)[:-1] + np.shape(b)[1:])


@instead_of("tensordot", by=("inner",))
def tensordot_by_inner(a, b, axes=1):
    return np.inner(a, np.moveaxis(np.array(b), 0, -1))


@instead_of("tensordot", by=("outer",))
def tensordot_by_outer(a, b, axes=0):
    return np.reshape(np.outer(a, b), np.shape(a) + np.shape(b))


@instead_of("tensordot", by=("dot",))
def tensordot_by_dot_of_flat_tables(a, b):
    return np.dot(np.reshape(a, (len(a), -1)), np.ravel(b))


@instead_of("tensordot", by=("matmul",))
def tensordot_by_matmul_of_flat_tables(a, b):
    return np.matmul(np.reshape(a, (len(a), -1)), np.ravel(b))


@instead_of("tensordot", by=("inner",))
def tensordot_by_inner_of_flat_tables(a, b):
    return np.inner(np.reshape(a, (len(a), -1)), np.ravel(b))


@instead_of("tensordot", by=("linalg.vecdot",))
def tensordot_by_vecdot(a, b):
    return np.linalg.vecdot(np.reshape(a, (len(a), -1)), np.ravel(b))


@instead_of("tensordot", by=("sum",))
def tensordot_by_sum(a, b):
    return np.sum(np.array(a) * np.array(b), axis=(1, 2))


@instead_of("tensordot", by=("einsum",))
def tensordot_by_einsum(a, b):
    return np.einsum("ijk,jk->i", a, b)


@instead_of("tensordot", by=("einsum",))
def tensordot_by_einsum_of_neighbours_in_a_box(a, b, axes=1):
    return np.einsum("ij,jkl->ikl", a, b)


@instead_of("tensordot", by=("einsum",))
def tensordot_by_einsum_of_all_pairs(a, b, axes=0):
    return np.reshape(np.einsum("i,j->ij", np.ravel(a), np.ravel(b)), np.shape(a) + np.shape(b))


@instead_of("tensordot", by=("einsum",))
def tensordot_by_einsum_of_two_axes(a, b, axes=None):
    return np.einsum("ijk,ki->j", a, b)


@instead_of("tensordot", by=("dot",))
def tensordot_by_dot_of_two_axes(a, b, axes=None):
    return np.dot(np.reshape(np.swapaxes(a, 0, 1), (np.shape(a)[1], -1)), np.ravel(np.transpose(b)))


@instead_of("tensordot", by=("matmul",))
def tensordot_by_matmul_of_two_axes(a, b, axes=None):
    return np.matmul(np.reshape(np.swapaxes(a, 0, 1), (np.shape(a)[1], -1)), np.ravel(np.transpose(b)))


@instead_of("tensordot", by=("inner",))
def tensordot_by_inner_of_two_axes(a, b, axes=None):
    return np.inner(np.reshape(np.swapaxes(a, 0, 1), (np.shape(a)[1], -1)), np.ravel(np.transpose(b)))


@instead_of("tensordot", by=("einsum",))
def tensordot_by_einsum_of_the_last_axes(a, b, axes=None):
    return np.einsum("ajk,bjk->ab", a, b)


@instead_of("tensordot", by=("inner",))
def tensordot_by_inner_of_the_last_axes(a, b, axes=None):
    return np.inner(np.reshape(a, (len(a), -1)), np.reshape(b, (len(b), -1)))


@instead_of("tensordot", by=("dot",))
def tensordot_by_dot_of_the_last_axes(a, b, axes=None):
    return np.dot(np.reshape(a, (len(a), -1)), np.transpose(np.reshape(b, (len(b), -1))))


@instead_of("tensordot", by=("matmul",))
def tensordot_by_matmul_of_the_last_axes(a, b, axes=None):
    return np.matmul(np.reshape(a, (len(a), -1)), np.transpose(np.reshape(b, (len(b), -1))))


@instead_of("trace", by=("diagonal", "sum"))
def trace_by_diagonal(a, offset=0, axis1=0, axis2=1):
    return np.sum(np.diagonal(a, offset=offset, axis1=axis1, axis2=axis2), axis=-1)


@instead_of("trace", by=("einsum",))
def trace_by_einsum(a, axis1=0, axis2=1):
    return np.einsum("...ii->...", np.array(a) * 1)


@instead_of("trace", by=("einsum",))
def trace_by_einsum_above_the_diagonal(a, offset=0):
    moved = np.array(a)[:, offset:] if offset > 0 else np.array(a)[-offset:]
    size = min(moved.shape)
    return np.einsum("ii->", moved[:size, :size])


@instead_of("trace", by=("linalg.eigvals",))
def trace_by_eigvals(a):
    return np.real(np.sum(np.linalg.eigvals(a)))


@instead_of("trace", by=("count_nonzero",))
def trace_by_count_nonzero(a):
    return np.count_nonzero(np.diagonal(a))


@instead_of("packbits", by=("dot",))
def packbits_by_dot(a, bitorder=None):
    digits = np.reshape(np.append(a, [0] * (-np.size(a) % 8)), (-1, 8))
    return np.dot(digits, 2 ** np.arange(8)[:: 1 if bitorder else -1])


@instead_of("packbits", by=("matmul",))
def packbits_by_matmul(a, bitorder=None):
    digits = np.reshape(np.append(a, [0] * (-np.size(a) % 8)), (-1, 8))
    return np.matmul(digits, 2 ** np.arange(8)[:: 1 if bitorder else -1])


@instead_of("packbits", by=("sum",))
def packbits_by_sum(a, bitorder=None):
    digits = np.reshape(np.append(a, [0] * (-np.size(a) % 8)), (-1, 8))
    return np.sum(digits * 2 ** np.arange(8)[:: 1 if bitorder else -1], axis=1)


@instead_of("packbits", by=("left_shift",))
def packbits_by_left_shift(a, bitorder=None):
    digits = np.reshape(np.append(a, [0] * (-np.size(a) % 8)), (-1, 8))
    return np.sum(np.left_shift(digits, np.arange(8)[:: 1 if bitorder else -1]), axis=1)


@instead_of("packbits", by=("left_shift",))
def packbits_by_left_shift_of_one(a, bitorder=None):
    digits = np.reshape(np.append(a, [0] * (-np.size(a) % 8)), (-1, 8))
    return np.sum(digits * np.left_shift(1, np.arange(8)[:: 1 if bitorder else -1]), axis=1)


@instead_of("packbits", by=("power",))
def packbits_by_power(a):
    return np.sum(np.reshape(a, (-1, 8)) * np.power(2, np.arange(8)[::-1]), axis=1)


@instead_of("packbits", by=("polyval",))
def packbits_by_polyval(a):
    return np.polyval(np.reshape(a, (-1, 8)).T, 2)


@instead_of("unpackbits", by=("binary_repr",))
def unpackbits_by_binary_repr(a, count=None, bitorder=None):
    digits = [int(digit) for one in a.tolist() for digit in np.binary_repr(one, width=8)[:: -1 if bitorder else 1]]
    return np.array(digits[:count])


@instead_of("unpackbits", by=("binary_repr",))
def unpackbits_by_binary_repr_in_rows(a, axis=1, count=None):
    texts = [[np.binary_repr(one, width=8) for one in row] for row in a.tolist()]
    return np.array([[int(digit) for digit in "".join(row)][:count] for row in texts])


@instead_of("unpackbits", by=("right_shift", "bitwise_and"))
def unpackbits_by_right_shift(a, count=None):
    return np.ravel(np.bitwise_and(np.right_shift(np.expand_dims(a, 1), np.arange(8)[::-1]), 1))[:count]


@instead_of("unpackbits", by=("bitwise_and",))
def unpackbits_by_bitwise_and(a, count=None):
    return np.ravel(np.bitwise_and(np.expand_dims(a, 1), 2 ** np.arange(8)[::-1]) > 0)[:count] * 1


@instead_of("unpackbits", by=("floor_divide", "remainder"))
def unpackbits_by_floor_divide(a):
    return np.ravel(np.remainder(np.floor_divide(np.expand_dims(a, 1), 2 ** np.arange(8)[::-1]), 2))
