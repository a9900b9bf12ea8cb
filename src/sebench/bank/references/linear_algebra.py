"""Products of matrices and vectors, equations, norms and decompositions, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("linalg.vecdot", by=("sum",))
def vecdot_by_sum(x1, x2, axis=-1):
    return np.sum(np.conjugate(x1) * np.array(x2), axis=axis)


@instead_of("linalg.vecdot", by=("einsum",))
def vecdot_by_einsum(x1, x2, axis=-1):
    pattern = "ij,ij->j" if axis == 0 else "...i,...i->..."
    return np.einsum(pattern, np.conjugate(x1), x2)


@instead_of("linalg.vecdot", by=("dot",))
def vecdot_by_dot(x1, x2, axis=-1):
    if np.ndim(x1) == 1 or np.ndim(x2) == 1:
        return np.dot(np.conjugate(x1), x2)
    one, other = (np.array(x1).T, np.array(x2).T) if axis == 0 else (np.array(x1), np.array(x2))
    return np.array([np.dot(np.conjugate(row), own) for row, own in zip(one, other, strict=True)])


@instead_of("linalg.vecdot", by=("inner",))
def vecdot_by_inner(x1, x2, axis=-1):
    if np.ndim(x1) == 1 or np.ndim(x2) == 1:
        return np.inner(np.conjugate(x1), x2)
    one, other = (np.array(x1).T, np.array(x2).T) if axis == 0 else (np.array(x1), np.array(x2))
    return np.array([np.inner(np.conjugate(row), own) for row, own in zip(one, other, strict=True)])


@instead_of("linalg.vecdot", by=("matmul",))
def vecdot_by_matmul(x1, x2, axis=-1):
    if np.ndim(x1) == 1 or np.ndim(x2) == 1:
        return np.matmul(np.conjugate(x1), x2)
    one, other = (np.array(x1).T, np.array(x2).T) if axis == 0 else (np.array(x1), np.array(x2))
    return np.array([np.matmul(np.conjugate(row), own) for row, own in zip(one, other, strict=True)])


@instead_of("linalg.vecdot", by=("vdot",))
def vecdot_by_vdot(x1, x2, axis=-1):
    if np.ndim(x1) == 1:
        return np.vdot(x1, x2)
    if np.ndim(x2) == 1:
        return np.array([np.vdot(row, x2) for row in np.array(x1)])
    one, other = (np.array(x1).T, np.array(x2).T) if axis == 0 else (np.array(x1), np.array(x2))
    return np.array([np.vdot(row, own) for row, own in zip(one, other, strict=True)])


@instead_of("linalg.multi_dot", by=("dot",))
def multi_dot_by_dot(arrays):
    product = arrays[0]
    for one in arrays[1:]:
        product = np.dot(product, one)
    return product


@instead_of("linalg.multi_dot", by=("dot",))
def multi_dot_by_dot_from_the_end(arrays):
    product = arrays[-1]
    for one in arrays[:-1][::-1]:
        product = np.dot(one, product)
    return product


@instead_of("linalg.multi_dot", by=("matmul",))
def multi_dot_by_matmul(arrays):
    product = arrays[0]
    for one in arrays[1:]:
        product = np.matmul(product, one)
    return product


@instead_of("linalg.multi_dot", by=("matmul",))
def multi_dot_by_matmul_from_the_end(arrays):
    product = arrays[-1]
    for one in arrays[:-1][::-1]:
        product = np.matmul(one, product)
    return product


@instead_of("linalg.matrix_power", by=("matmul",))
def matrix_power_by_matmul(a, n):
    factor = np.array(a) if n >= 0 else np.linalg.inv(a)
    product = np.eye(len(factor)) if n == 0 else factor
    for _ in range(abs(n) - 1):
        product = np.matmul(product, factor)
    return product


@instead_of("linalg.matrix_power", by=("matmul",))
def matrix_power_by_matmul_from_one(a, n):
    factor = np.array(a) if n >= 0 else np.linalg.inv(a)
    product = np.eye(factor.shape[-1])
    for _ in range(abs(n)):
        product = np.matmul(product, factor)
    return product


@instead_of("linalg.matrix_power", by=("dot",))
def matrix_power_by_dot(a, n):
    factor = np.array(a) if n >= 0 else np.linalg.inv(a)
    product = np.eye(len(factor)) if n == 0 else factor
    for _ in range(abs(n) - 1):
        product = np.dot(product, factor)
    return product


@instead_of("linalg.matrix_power", by=("dot",))
def matrix_power_by_dot_from_one(a, n):
    factor = np.array(a) if n >= 0 else np.linalg.inv(a)
    product = np.eye(factor.shape[-1])
    for _ in range(abs(n)):
        product = np.dot(product, factor)
    return product


@instead_of("linalg.matrix_power", by=("linalg.multi_dot",))
def matrix_power_by_multi_dot(a, n):
    factor = np.array(a) if n >= 0 else np.linalg.inv(a)
    if n in (-1, 0, 1):
        return factor if n else np.eye(len(factor))
    return np.linalg.multi_dot([factor] * abs(n))


@instead_of("einsum", by=("sum",))
def einsum_by_sum(subscripts, first, second, third=None):
    one, two, three = np.array(first), np.array(second), np.array(0 if third is None else third)
    if subscripts == "bij,bj->bi":
        return np.sum(one * two[:, None, :], axis=2)
    if subscripts == "ch,hc->c":
        return np.sum(one * two.T, axis=1)
    if subscripts == "i,ij,j->":
        return np.sum(one[:, None] * two * three)
    return np.sum((one @ two) * (three.T if subscripts == "ij,jk,ki->i" else three), axis=1)


@instead_of("einsum", by=("dot",))
def einsum_by_dot(subscripts, first, second, third=None):
    if subscripts == "bij,bj->bi":
        return np.array([np.dot(one, other) for one, other in zip(first, second, strict=True)])
    if subscripts == "ch,hc->c":
        return np.array([np.dot(row, column) for row, column in zip(first, np.array(second).T, strict=True)])
    if subscripts == "i,ij,j->":
        return np.dot(np.dot(first, second), third)
    if subscripts == "ij,jk,ki->i":
        return np.diagonal(np.dot(np.dot(first, second), third))
    return np.array([np.dot(np.dot(row, second), row) for row in first])


@instead_of("einsum", by=("matmul",))
def einsum_by_matmul(subscripts, first, second, third=None):
    if subscripts == "bij,bj->bi":
        return np.matmul(first, np.array(second)[:, :, None])[:, :, 0]
    if subscripts == "ch,hc->c":
        return np.diagonal(np.matmul(first, second))
    if subscripts == "i,ij,j->":
        return np.matmul(np.matmul(first, second), third)
    if subscripts == "ij,jk,ki->i":
        return np.diagonal(np.matmul(np.matmul(first, second), third))
    return np.sum(np.matmul(first, second) * first, axis=1)


@instead_of("einsum", by=("inner",))
def einsum_by_inner(subscripts, first, second, third=None):
    if subscripts == "bij,bj->bi":
        return np.array([np.inner(one, other) for one, other in zip(first, second, strict=True)])
    if subscripts == "ch,hc->c":
        return np.array([np.inner(row, column) for row, column in zip(first, np.array(second).T, strict=True)])
    if subscripts == "i,ij,j->":
        return np.inner(first, np.inner(second, third))
    if subscripts == "ij,jk,ki->i":
        lines = zip(np.array(first) @ np.array(second), np.array(third).T, strict=True)
        return np.array([np.inner(row, column) for row, column in lines])
    return np.array([np.inner(row, np.inner(second, row)) for row in first])


@instead_of("einsum", by=("linalg.vecdot",))
def einsum_by_vecdot(subscripts, first, second, third=None):
    if subscripts == "bij,bj->bi":
        return np.linalg.vecdot(first, np.array(second)[:, None, :])
    if subscripts == "ch,hc->c":
        return np.linalg.vecdot(first, np.array(second).T)
    if subscripts == "i,ij,j->":
        return np.linalg.vecdot(first, np.linalg.vecdot(second, third))
    product = np.array(first) @ np.array(second)
    return np.linalg.vecdot(product, np.array(third).T if subscripts == "ij,jk,ki->i" else third)


@instead_of("einsum", by=("tensordot",))
def einsum_by_tensordot(subscripts, first, second, third=None):
    if subscripts == "i,j,k->ijk":
        return np.tensordot(np.tensordot(first, second, axes=0), third, axes=0)
    if subscripts == "bij,bj->bi":
        return np.array([np.tensordot(one, other, axes=1) for one, other in zip(first, second, strict=True)])
    if subscripts == "i,ij,j->":
        return np.tensordot(np.tensordot(first, second, axes=1), third, axes=1)
    if subscripts == "ij,jk,ki->i":
        return np.diagonal(np.tensordot(np.tensordot(first, second, axes=1), third, axes=1))
    return np.array([np.tensordot(np.tensordot(row, second, axes=1), row, axes=1) for row in first])


@instead_of("kron", by=("outer",))
def kron_by_outer(a, b):
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.ravel(np.outer(a, b))
    (rows, columns), (down, across) = ((1,) * (2 - np.ndim(one)) + np.shape(one) for one in (a, b))
    blocks = np.reshape(np.outer(a, b), (rows, columns, down, across))
    return np.reshape(np.swapaxes(blocks, 1, 2), (rows * down, columns * across))


@instead_of("kron", by=("einsum",))
def kron_by_einsum(a, b):
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.ravel(np.einsum("i,j->ij", a, b))
    (rows, columns), (down, across) = ((1,) * (2 - np.ndim(one)) + np.shape(one) for one in (a, b))
    blocks = np.einsum("ij,kl->ikjl", np.reshape(a, (rows, columns)), np.reshape(b, (down, across)))
    return np.reshape(blocks, (rows * down, columns * across))


@instead_of("kron", by=("repeat", "tile"))
def kron_by_repeat(a, b):
    if np.ndim(a) == 1:
        return np.repeat(a, np.shape(b)[-1]) * np.tile(b, len(a))
    larger = np.repeat(np.repeat(a, np.shape(b)[0], axis=0), np.shape(b)[1], axis=1)
    return larger * np.tile(b, np.shape(a))


@instead_of("linalg.solve", by=("linalg.inv",))
def solve_by_inv(a, b):
    return np.linalg.inv(a) @ np.array(b)


@instead_of("linalg.solve", by=("linalg.pinv",))
def solve_by_pinv(a, b):
    return np.linalg.pinv(a) @ np.array(b)


@instead_of("linalg.solve", by=("linalg.lstsq",))
def solve_by_lstsq(a, b):
    if np.ndim(a) == 3:
        return np.array([np.linalg.lstsq(one, b)[0] for one in a])
    return np.linalg.lstsq(a, b)[0]


@instead_of("linalg.solve", by=("linalg.tensorsolve",))
def solve_by_tensorsolve(a, b):
    if np.ndim(a) == 3:
        return np.array([np.linalg.tensorsolve(one, b) for one in a])
    if np.ndim(b) == 2:
        return np.array([np.linalg.tensorsolve(a, column) for column in np.array(b).T]).T
    return np.linalg.tensorsolve(a, b)


@instead_of("linalg.inv", by=("linalg.solve",))
def inv_by_solve(a):
    return np.linalg.solve(a, np.eye(np.shape(a)[-1]))


@instead_of("linalg.inv", by=("linalg.pinv",))
def inv_by_pinv(a):
    return np.linalg.pinv(a)


@instead_of("linalg.inv", by=("linalg.tensorinv",))
def inv_by_tensorinv(a):
    if np.ndim(a) == 3:
        return np.array([np.linalg.tensorinv(one, ind=1) for one in a])
    return np.linalg.tensorinv(a, ind=1)


@instead_of("linalg.pinv", by=("linalg.lstsq",))
def pinv_by_lstsq(a, rcond=None):
    if np.ndim(a) == 3:
        cuts = [None] * len(a) if rcond is None else rcond
        return np.array(
            [np.linalg.lstsq(one, np.eye(len(one)), rcond=cut)[0] for one, cut in zip(a, cuts, strict=True)]
        )
    return np.linalg.lstsq(a, np.eye(len(a)), rcond=rcond)[0]


@instead_of("linalg.pinv", by=("linalg.inv",))
def pinv_by_inv(a):
    table = np.array(a)
    turned = np.swapaxes(table, -1, -2)
    if table.shape[-2] >= table.shape[-1]:
        return np.linalg.inv(turned @ table) @ turned
    return turned @ np.linalg.inv(table @ turned)


@instead_of("linalg.pinv", by=("linalg.svd",))
def pinv_by_svd(a, rcond=1e-15):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    cut = np.array(rcond)[..., None] * s[..., :1]
    inverse = np.where(s > cut, 1 / np.where(s > cut, s, 1), 0)
    return np.swapaxes(vh, -1, -2) * inverse[..., None, :] @ np.swapaxes(u, -1, -2)


@instead_of("linalg.lstsq", by=("linalg.pinv",))
def lstsq_by_pinv(a, b, rcond=1e-15):
    found = np.linalg.pinv(a, rcond=rcond) @ np.array(b)
    rest = np.array(b) - np.array(a) @ found
    return found, np.array([np.sum(rest**2)])


@instead_of("linalg.lstsq", by=("linalg.solve",))
def lstsq_by_solve(a, b):
    table = np.array(a)
    found = np.linalg.solve(table.T @ table, table.T @ np.array(b))
    return found, np.array([np.sum((np.array(b) - table @ found) ** 2)])


@instead_of("linalg.tensorinv", by=("linalg.inv",))
def tensorinv_by_inv(a, ind=2):
    size = np.prod(np.shape(a)[:ind])
    return np.reshape(np.linalg.inv(np.reshape(a, (size, size))), np.shape(a)[ind:] + np.shape(a)[:ind])


@instead_of("linalg.tensorsolve", by=("linalg.solve",))
def tensorsolve_by_solve(a, b):
    size = np.size(b)
    return np.reshape(np.linalg.solve(np.reshape(a, (size, size)), np.ravel(b)), np.shape(a)[np.ndim(b) :])


@instead_of("linalg.det", by=("linalg.slogdet",))
def det_by_slogdet(a):
    sign, log = np.linalg.slogdet(a)
    return sign * np.exp(log)


@instead_of("linalg.det", by=("linalg.eigvals",))
def det_by_eigvals(a):
    return np.real(np.prod(np.linalg.eigvals(a), axis=-1))


@instead_of("linalg.slogdet", by=("linalg.det",))
def slogdet_by_det(a):
    value = np.linalg.det(a)
    size = np.absolute(value)
    return value / size, np.log(size)


@instead_of("linalg.eigvals", by=("linalg.eig",))
def eigvals_by_eig(a):
    return np.linalg.eig(a)[0]


@instead_of("linalg.eigvals", by=("roots",))
def eigvals_by_roots_of_poly(a):
    return np.roots(np.poly(a))


@instead_of("linalg.eigvalsh", by=("linalg.eigvals",))
def eigvalsh_by_eigvals(a):
    return np.sort(np.real(np.linalg.eigvals(a)))


@instead_of("linalg.eigvalsh", by=("linalg.eigvals",))
def eigvalsh_by_eigvals_of_lower(a):
    lower = np.tril(a, -1)
    table = lower + np.conjugate(lower.T) + np.diag(np.real(np.diagonal(a)))
    return np.sort(np.real(np.linalg.eigvals(table)))


@instead_of("linalg.eigvalsh", by=("linalg.eig",))
def eigvalsh_by_eig(a):
    return np.sort(np.real(np.linalg.eig(a)[0]))


@instead_of("linalg.eigvalsh", by=("linalg.eig",))
def eigvalsh_by_eig_of_lower(a):
    lower = np.tril(a, -1)
    table = lower + np.conjugate(lower.T) + np.diag(np.real(np.diagonal(a)))
    return np.sort(np.real(np.linalg.eig(table)[0]))


@instead_of("linalg.eigvalsh", by=("linalg.eigh",))
def eigvalsh_by_eigh(a):
    return np.linalg.eigh(a)[0]


@instead_of("linalg.svdvals", by=("linalg.svd",))
def svdvals_by_svd(x):
    return np.linalg.svd(x, compute_uv=False)


@instead_of("linalg.svdvals", by=("linalg.svd",))
def svdvals_by_whole_svd(x):
    return np.linalg.svd(x)[1]


@instead_of("linalg.svdvals", by=("linalg.matrix_norm",))
def svdvals_by_matrix_norm(x):
    return np.stack([np.linalg.matrix_norm(x, ord=2), np.linalg.matrix_norm(x, ord=-2)], axis=-1)


@instead_of("linalg.svdvals", by=("linalg.norm",))
def svdvals_by_norm(x):
    return np.stack([np.linalg.norm(x, ord=2, axis=(-2, -1)), np.linalg.norm(x, ord=-2, axis=(-2, -1))], axis=-1)


@instead_of("linalg.cond", by=("linalg.svdvals",))
def cond_by_svdvals(x):
    values = np.linalg.svdvals(x)
    return values[..., 0] / values[..., -1]


@instead_of("linalg.cond", by=("linalg.svd",))
def cond_by_svd(x):
    values = np.linalg.svd(x, compute_uv=False)
    return values[..., 0] / values[..., -1]


@instead_of("linalg.cond", by=("linalg.svd",))
def cond_by_whole_svd(x):
    values = np.linalg.svd(x)[1]
    return values[..., 0] / values[..., -1]


@instead_of("linalg.cond", by=("linalg.norm", "linalg.inv"))
def cond_by_norm(x, p=2):
    inverse = np.linalg.inv(x)
    return np.linalg.norm(x, ord=p, axis=(-2, -1)) * np.linalg.norm(inverse, ord=p, axis=(-2, -1))


@instead_of("linalg.cond", by=("linalg.matrix_norm", "linalg.inv"))
def cond_by_matrix_norm(x, p=2):
    return np.linalg.matrix_norm(x, ord=p) * np.linalg.matrix_norm(np.linalg.inv(x), ord=p)


@instead_of("linalg.cond", by=("linalg.matrix_norm",))
def cond_by_quotient_of_matrix_norms(x):
    return np.linalg.matrix_norm(x, ord=2) / np.linalg.matrix_norm(x, ord=-2)


@instead_of("linalg.matrix_rank", by=("linalg.svdvals",))
def matrix_rank_by_svdvals(A, tol=None, rtol=1e-12):
    values = np.linalg.svdvals(A)
    cut = np.array(rtol)[..., None] * values[..., :1] if tol is None else tol
    return np.sum(values > cut, axis=-1)


@instead_of("linalg.matrix_rank", by=("linalg.svd",))
def matrix_rank_by_svd(A, tol=None, rtol=1e-12):
    values = np.linalg.svd(A, compute_uv=False)
    cut = np.array(rtol)[..., None] * values[..., :1] if tol is None else tol
    return np.sum(values > cut, axis=-1)


@instead_of("linalg.matrix_rank", by=("linalg.svd",))
def matrix_rank_by_whole_svd(A, tol=1e-9):
    return np.sum(np.linalg.svd(A)[1] > tol, axis=-1)


@instead_of("linalg.matrix_norm", by=("linalg.norm",))
def matrix_norm_by_norm(x, ord=None, keepdims=False):
    return np.linalg.norm(x, ord=ord, axis=(-2, -1), keepdims=keepdims)


@instead_of("linalg.matrix_norm", by=("linalg.svdvals",))
def matrix_norm_by_svdvals(x):
    return np.sqrt(np.sum(np.linalg.svdvals(x) ** 2, axis=-1))


@instead_of("linalg.matrix_norm", by=("linalg.svd",))
def matrix_norm_by_svd(x):
    return np.sqrt(np.sum(np.linalg.svd(x, compute_uv=False) ** 2, axis=-1))


@instead_of("linalg.matrix_norm", by=("sum",))
def matrix_norm_by_sum(x):
    return np.sqrt(np.sum(np.array(x) ** 2, axis=(-2, -1)))


@instead_of("linalg.norm", by=("linalg.vector_norm",))
def norm_by_vector_norm(x, ord=2, axis=None, keepdims=False):
    return np.linalg.vector_norm(x, ord=ord, axis=axis, keepdims=keepdims)


@instead_of("linalg.norm", by=("linalg.matrix_norm",))
def norm_by_matrix_norm_of_one_row(x):
    return np.linalg.matrix_norm([x])


@instead_of("linalg.norm", by=("linalg.matrix_norm",))
def norm_by_matrix_norm_of_lines(x, axis=None, ord=None, keepdims=False):
    if axis is None:
        return np.linalg.matrix_norm([x])
    lines = np.array(x).T if axis == 0 else np.array(x)
    found = np.linalg.matrix_norm(lines[:, :, None], ord=ord or 2)
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("linalg.norm", by=("sum",))
def norm_by_sum(x, axis=None, keepdims=False):
    return np.sqrt(np.sum(np.absolute(x) ** 2, axis=axis, keepdims=keepdims))


@instead_of("linalg.norm", by=("dot",))
def norm_by_dot(x, axis=None, keepdims=False):
    if axis is None:
        return np.sqrt(np.dot(x, x))
    lines = np.absolute(x).T if axis == 0 else np.absolute(x)
    found = np.sqrt([np.dot(np.ravel(line), np.ravel(line)) for line in lines])
    return np.expand_dims(found, axis) if keepdims else found


@instead_of("linalg.norm", by=("hypot",))
def norm_by_hypot(x, axis=0, keepdims=False):
    lines = np.absolute(x) if axis == 0 else np.absolute(x).T
    length = lines[0]
    for line in lines[1:]:
        length = np.hypot(length, line)
    return np.expand_dims(length, axis) if keepdims else length


@instead_of("linalg.vector_norm", by=("linalg.norm",))
def vector_norm_by_norm(x, axis=None, keepdims=False, ord=None):
    return np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)


@instead_of("linalg.vector_norm", by=("linalg.norm",))
def vector_norm_by_norm_of_flat(x, axis, ord):
    return np.array([np.linalg.norm(np.ravel(one), ord=ord) for one in x])


@instead_of("linalg.vector_norm", by=("sum",))
def vector_norm_by_sum(x, axis=None, keepdims=False, ord=2):
    return np.sum(np.absolute(x) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)


@instead_of("linalg.vector_norm", by=("dot",))
def vector_norm_by_dot(x, axis=None, keepdims=False, ord=2):
    if axis is None:
        return np.dot(np.absolute(x) ** ord, np.ones(len(x))) ** (1 / ord)
    sizes = np.reshape(np.absolute(x), (len(x), -1))
    found = np.dot(sizes**ord, np.ones(len(sizes[0]))) ** (1 / ord)
    return found[:, None] if keepdims else found
