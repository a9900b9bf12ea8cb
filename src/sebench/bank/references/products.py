"""Products of vectors and tables, done with others."""

import numpy as np

from sebench.bank.references import instead_of


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


@instead_of("unpackbits", by=("binary_repr",))
def unpackbits_by_binary_repr(a, count=None, bitorder=None):
    digits = [int(digit) for one in a.tolist() for digit in np.binary_repr(one, width=8)[:: -1 if bitorder else 1]]
    return np.array(digits[:count])
