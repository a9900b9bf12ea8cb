"""Truth values, comparisons and kinds of numbers, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("all", by=("any",))
def all_by_any(a, axis=None, keepdims=False):
    return np.any(np.array(a) == 0, axis=axis, keepdims=keepdims) == 0


@instead_of("all", by=("count_nonzero",))
def all_by_count_nonzero(a, axis=None, keepdims=False):
    count = np.count_nonzero(a, axis=axis, keepdims=keepdims)
    return count == np.size(a) // np.size(count)


@instead_of("all", by=("count_nonzero",))
def all_by_no_zero(a, axis=None, keepdims=False):
    return np.count_nonzero(np.array(a) == 0, axis=axis, keepdims=keepdims) == 0


@instead_of("all", by=("sum",))
def all_by_sum(a, axis=None, keepdims=False):
    total = np.sum(np.array(a) != 0, axis=axis, keepdims=keepdims)
    return total == np.size(a) // np.size(total)


@instead_of("all", by=("sum",))
def all_by_sum_of_false(a, axis=None, keepdims=False):
    return np.sum(np.array(a) == 0, axis=axis, keepdims=keepdims) == 0


@instead_of("all", by=("min",))
def all_by_min(a, axis=None, keepdims=False):
    return np.min(np.array(a) != 0, axis=axis, keepdims=keepdims)


@instead_of("all", by=("min",))
def all_by_least_number(a, axis=None, keepdims=False):
    return np.min(a, axis=axis, keepdims=keepdims) > 0


@instead_of("all", by=("max",))
def all_by_max(a, axis=None, keepdims=False):
    return np.max(np.array(a) == 0, axis=axis, keepdims=keepdims) == 0


@instead_of("all", by=("prod",))
def all_by_prod(a, axis=None, keepdims=False):
    return np.prod(a, axis=axis, keepdims=keepdims) != 0


@instead_of("all", by=("array_equal",))
def all_by_array_equal(a, axis=None, keepdims=False):
    if axis is None:
        return np.array_equal(np.array(a) != 0, np.ones(np.shape(a)))
    lines = np.array(a).T if axis == 0 else np.array(a)
    full = np.array([np.array_equal(line != 0, np.ones(np.shape(line))) for line in lines])
    return np.expand_dims(full, axis) if keepdims else full


@instead_of("any", by=("all",))
def any_by_all(a, axis=None, keepdims=False):
    return np.all(np.array(a) == 0, axis=axis, keepdims=keepdims) == 0


@instead_of("any", by=("count_nonzero",))
def any_by_count_nonzero(a, axis=None, keepdims=False):
    return np.count_nonzero(a, axis=axis, keepdims=keepdims) > 0


@instead_of("any", by=("sum",))
def any_by_sum(a, axis=None, keepdims=False):
    return np.sum(np.array(a) != 0, axis=axis, keepdims=keepdims) > 0


@instead_of("any", by=("sum",))
def any_by_sum_of_numbers(a, axis=None, keepdims=False):
    return np.sum(a, axis=axis, keepdims=keepdims) > 0


@instead_of("any", by=("max",))
def any_by_max(a, axis=None, keepdims=False):
    return np.max(np.array(a) != 0, axis=axis, keepdims=keepdims)


@instead_of("any", by=("max",))
def any_by_greatest_number(a, axis=None, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) > 0


@instead_of("allclose", by=("isclose", "all"))
def allclose_by_isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.all(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


@instead_of("allclose", by=("absolute",))
def allclose_by_absolute(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    first, second = np.array(a), np.array(b)
    near = (first == second) | (np.absolute(first - second) <= atol + rtol * np.absolute(second))
    return np.all(near | (first != first) & (second != second) if equal_nan else near)


@instead_of("allclose", by=("absolute",))
def allclose_by_distance(a, b, atol=1e-08, rtol=0):
    return np.all(np.absolute(np.array(a) - np.array(b)) <= atol)


@instead_of("allclose", by=("max",))
def allclose_by_max(a, b, rtol=1e-05, atol=1e-08):
    distance = np.absolute(np.array(a) - np.array(b))
    return np.max(distance - rtol * np.absolute(b)) <= atol


@instead_of("allclose", by=("max",))
def allclose_by_greatest_distance_of_numbers(a, b, atol=1e-08, equal_nan=False):
    first, second = np.array(a), np.array(b)
    same = (first == second) | (first != first) & (second != second)
    return np.max(np.where(same, 0, np.absolute(first - second))) <= atol


@instead_of("isclose", by=("absolute",))
def isclose_by_absolute(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    first, second = np.array(a), np.array(b)
    near = np.absolute(first - second) <= atol + rtol * np.absolute(second)
    return near | (first != first) & (second != second) if equal_nan else near


@instead_of("isclose", by=("absolute",))
def isclose_by_distance(a, b, rtol=0, atol=1e-08, equal_nan=False):
    first, second = np.array(a), np.array(b)
    near = np.absolute(first - second) <= atol
    return near | (first != first) & (second != second) if equal_nan else near


@instead_of("isclose", by=("allclose",))
def isclose_by_allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    first, second = np.broadcast_arrays(a, b)
    pairs = zip(np.ravel(first), np.ravel(second), strict=True)
    near = [np.allclose(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan) for one, other in pairs]
    return np.reshape(near, np.shape(first))


@instead_of("array_equal", by=("array_equiv",))
def array_equal_by_array_equiv(a1, a2, equal_nan=False):
    if equal_nan:
        a1, a2 = np.nan_to_num(a1, nan=-99), np.nan_to_num(a2, nan=-99)
    return np.shape(a1) == np.shape(a2) and np.array_equiv(a1, a2)


@instead_of("array_equal", by=("all",))
def array_equal_by_all(a1, a2, equal_nan=False):
    if np.shape(a1) != np.shape(a2):
        return False
    first, second = np.array(a1), np.array(a2)
    return np.all((first == second) | (first != first) & (second != second) if equal_nan else first == second)


@instead_of("array_equal", by=("allclose",))
def array_equal_by_allclose(a1, a2, equal_nan=False):
    return np.shape(a1) == np.shape(a2) and np.allclose(a1, a2, equal_nan=equal_nan)


@instead_of("array_equiv", by=("all",))
def array_equiv_by_all(a1, a2):
    return np.all(np.array(a1) == np.array(a2))


@instead_of("array_equiv", by=("array_equal",))
def array_equiv_by_array_equal(a1, a2):
    return np.array_equal(a1, np.broadcast_to(a2, np.shape(a1)))


@instead_of("array_equiv", by=("array_equal",))
def array_equiv_by_rows(a1, a2):
    return False not in [np.array_equal(row, a2) for row in a1]


@instead_of("isfinite", by=("isnan", "isinf"))
def isfinite(x):
    return (np.isnan(x) | np.isinf(x)) == 0


@instead_of("isfinite", by=("isnan",))
def isfinite_by_isnan(x):
    return np.isnan(x) == 0


@instead_of("isinf", by=("isfinite",))
def isinf_by_isfinite(x):
    return (np.isfinite(x) == 0) & (np.array(x) == np.array(x))


@instead_of("isinf", by=("isposinf", "isneginf"))
def isinf_by_both_signs(x):
    return np.isposinf(x) | np.isneginf(x)


@instead_of("isnan", by=("isfinite",))
def isnan_by_isfinite(x):
    return np.isfinite(x) == 0


@instead_of("isnan", by=("isfinite",))
def isnan_by_neither(x):
    return (np.isfinite(x) | np.isinf(x)) == 0


@instead_of("isneginf", by=("isinf",))
def isneginf_by_isinf(x):
    return np.isinf(x) & (np.array(x) < 0)


@instead_of("isposinf", by=("isinf",))
def isposinf_by_isinf(x):
    return np.isinf(x) & (np.array(x) > 0)
