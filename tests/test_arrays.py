"""The forged array behaves as an array should, which is checked against NumPy operator by operator."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sebench.forge.docs.equivalence import comparable
from sebench.world.world import World
from tests.conftest import EXAMPLES, Forged
from tests.wall import client_of, observer_of

TWO = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
]
TWO += [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.matmul, divmod]
TWO += [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod]
IN_PLACE += [operator.ipow, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift]
ONE: list[Callable[[Any], Any]] = [operator.neg, operator.pos, operator.invert, abs]


@pytest.fixture(scope="module", params=["package", "wall"])
def forged(request: pytest.FixtureRequest, world: World) -> Iterator[Forged]:
    """The package itself, and what a candidate behind the wall sees of it."""
    with world.library() as library:
        if request.param == "package":
            yield Forged(world, library)
            return
        with client_of(world, observer_of(world, library)) as client:
            sys.modules[client.__name__] = client
            yield Forged(world, client)


INTS = st.lists(st.integers(-9, 9), min_size=3, max_size=3)
FLOATS = st.lists(st.floats(-9, 9), min_size=3, max_size=3)
BOOLS = st.lists(st.booleans(), min_size=3, max_size=3)
VECTORS = st.one_of(INTS, FLOATS, BOOLS)
OTHERS = st.one_of(VECTORS, st.integers(-3, 3), st.floats(-3, 3), st.booleans(), st.just([1, 2]))


def outcome(forged: Forged, function: Callable[..., Any], *args: Any) -> Any:
    """The value as plain data, or the builtin class of the error."""
    kind = np.ndarray if any(isinstance(a, np.ndarray) for a in args) else forged.type
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return comparable(function(*args), kind)
        except Exception as error:
            return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


@pytest.mark.parametrize("operate", TWO, ids=lambda f: f.__name__)
@given(left=VECTORS, right=OTHERS, mirrored=st.booleans(), both=st.booleans())
@settings(max_examples=min(EXAMPLES, 40))
def test_two_sided_operators_equal_numpy(
    forged: Forged, operate: Any, left: Any, right: Any, mirrored: bool, both: bool
) -> None:
    here, there = [forged.array(left), right], [np.array(left), right]
    if both and isinstance(right, list):
        here[1], there[1] = forged.array(right), np.array(right)
    if mirrored:
        here.reverse(), there.reverse()
    assert outcome(forged, operate, *here) == outcome(forged, operate, *there)


@pytest.mark.parametrize("operate", IN_PLACE, ids=lambda f: f.__name__)
@given(left=VECTORS, right=OTHERS)
@settings(max_examples=min(EXAMPLES, 40))
def test_in_place_operators_change_the_array_itself(forged: Forged, operate: Any, left: Any, right: Any) -> None:
    here, there = forged.array(left), np.array(left)
    alias = here
    assert outcome(forged, operate, here, right) == outcome(forged, operate, there, right)
    assert comparable(alias, forged.type) == comparable(there, np.ndarray)
    assert here is alias


@pytest.mark.parametrize("operate", ONE, ids=lambda f: f.__name__)
@given(values=VECTORS)
@settings(max_examples=min(EXAMPLES, 20))
def test_one_sided_operators_equal_numpy(forged: Forged, operate: Any, values: Any) -> None:
    assert outcome(forged, operate, forged.array(values)) == outcome(forged, operate, np.array(values))


KEYS: list[Any] = [
    0,
    -1,
    5,
    slice(1, None),
    slice(None, None, -1),
    (0, 1),
    (slice(None), 1),
    ...,
    None,
    [0, 2, 0],
]
KEYS += [
    (slice(None), [0, 1]),
    (..., 0),
    [True, False, True],
    (None, 0),
    (0, 1, 2),
    "a",
    1.5,
    ([0, 1], [1, 2]),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indexing_and_assigning_equal_numpy(forged: Forged, key: Any) -> None:
    values = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
    assert outcome(forged, operator.getitem, forged.array(values), key) == outcome(
        forged, operator.getitem, np.array(values), key
    )
    here, there = forged.array(values), np.array(values)
    assert outcome(forged, operator.setitem, here, key, -1) == outcome(forged, operator.setitem, there, key, -1)
    assert comparable(here, forged.type) == comparable(there, np.ndarray)


def test_indexing_by_arrays_and_masks(forged: Forged) -> None:
    x = forged.array([[1, 2, 3], [4, 5, 6]])
    assert x[x > 2].tolist() == [3, 4, 5, 6]
    assert x[forged.array([1, 0])].tolist() == [[4, 5, 6], [1, 2, 3]]
    assert x[:, forged.array([True, False, True])].tolist() == [[1, 3], [4, 6]]
    x[x > 4] = 0
    assert x.tolist() == [[1, 2, 3], [4, 0, 0]]
    assert x[forged.array(1)].tolist() == [4, 0, 0]


def test_slices_are_views(forged: Forged) -> None:
    x = forged.array([[1, 2, 3], [4, 5, 6]])
    row = x[0]
    row[0] = 9
    x[:, 1] += 10
    for line in x:
        line += 1
    x.T[2] = 0
    assert x.tolist() == [[10, 13, 0], [5, 16, 0]]
    assert row.tolist() == [10, 13, 0]


def test_iteration_is_lazy_like_a_list_and_gives_python_numbers(forged: Forged) -> None:
    x = forged.array([1, 2, 3])
    seen = []
    for i, value in enumerate(x):
        seen.append(value)
        if i == 0:
            x[2] = 7
    assert seen == [1, 2, 7]
    assert [type(v) for v in x] == [int, int, int]
    assert list(reversed(x)) == [7, 2, 1]
    first, *rest = forged.array([1.5, 2.5])
    assert (first, rest) == (1.5, [2.5])


def test_membership_looks_at_elements(forged: Forged) -> None:
    x = forged.array([[1, 2], [3, 4]])
    assert 3 in x
    assert 99 not in x
    assert "a" not in x
    assert object() not in x


def test_a_single_element_is_a_number(forged: Forged) -> None:
    one = forged.array([[2]])
    assert (bool(one), int(one), float(one), complex(one), [5, 6, 7][one]) == (True, 2, 2.0, 2 + 0j, 7)
    assert bool(forged.array([0])) is False
    assert math.floor(forged.array([2.7])) == 2
    assert f"{forged.array([2.345]):.1f}" == "2.3"
    assert list(range(forged.array(3))) == [0, 1, 2]


@pytest.mark.parametrize("values", [[], [1, 2], [[1, 2], [3, 4]]])
def test_many_elements_are_no_number(forged: Forged, values: Any) -> None:
    x = forged.array(values)
    for convert in (int, float, complex, operator.index):
        with pytest.raises(TypeError):
            convert(x)
    with pytest.raises(ValueError, match=r"truth value|library error"):
        bool(x)


def test_an_index_must_be_an_integer(forged: Forged) -> None:
    with pytest.raises(TypeError):
        operator.index(forged.array([1.0]))


def test_attributes_are_plain_and_cannot_be_set(forged: Forged) -> None:
    x = forged.array([[1, 2, 3], [4, 5, 6]])
    assert (x.shape, x.ndim, x.size, x.dtype, x.T.shape) == ((2, 3), 2, 6, "int", (3, 2))
    assert [type(v) for v in (x.shape, x.ndim, x.size, x.dtype)] == [tuple, int, int, str]
    for name in ("shape", "ndim", "size", "T", "dtype", "anything"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)


def test_no_method_does_a_functions_work(forged: Forged) -> None:
    public = {name for name in dir(forged.array([1])) if not name.startswith("_")}
    assert public == {"shape", "ndim", "size", "T", "dtype", "tolist"}


@pytest.mark.parametrize(
    ("word", "python"),
    [
        ("int", int),
        ("float", float),
        ("complex", complex),
        ("bool", bool),
        ("text", str),
        ("float_32", None),
        ("int_8", None),
    ],
)
def test_kinds_are_plain_words_and_go_round(forged: Forged, word: str, python: type | None) -> None:
    x = forged.array([1, 0], dtype=word)
    assert x.dtype == word
    assert forged.array([1, 0], dtype=x.dtype).dtype == word
    if python:
        assert forged.array([1, 0], dtype=python).dtype == word


@pytest.mark.parametrize("kind", ["float64", "f8", "int64", "O", "datetime64", object, 3])
def test_kinds_of_the_source_library_are_unknown(forged: Forged, kind: Any) -> None:
    with pytest.raises(TypeError, match=r"element kind|library error"):
        forged.array([1], dtype=kind)


def test_copies_are_independent_and_equal(forged: Forged) -> None:
    for values in ([1, 2], [[1.5, float("nan")]], [[True]], ["a", "bcd"], [1j], 5, [[], []]):
        x = forged.array(values)
        for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert comparable(x, forged.type) == comparable(y, forged.type)
            assert y is not x
    x = forged.array([1, 2])
    y = copy.copy(x)
    y[0] = 9
    assert x.tolist() == [1, 2]


def test_arrays_are_unhashable_as_lists_are(forged: Forged) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(forged.array([1]))


def test_printing(forged: Forged) -> None:
    name = forged.names.array
    pad = " " * (len(name) + 1)
    assert repr(forged.array([1, 2])) == f"{name}([1, 2])"
    assert repr(forged.array([[1.0, 0.1], [1 / 3, 1e-20]])) == f"{name}([[1.0, 0.1],\n{pad} [0.33333333, 1e-20]])"
    assert repr(forged.array([1], dtype="float_32")) == f"{name}([1.0], dtype='float_32')"
    assert repr(forged["zeros"]((0, 3))) == f"{name}([], shape=(0, 3), dtype='float')"
    assert repr(forged.array(3)) == f"{name}(3)"
    assert str(forged.array([True, False])) == "[True, False]"
    long = repr(forged["arange"](5000))
    assert long == f"{name}([0, 1, 2, ..., 4997, 4998, 4999])"
    assert max(map(len, repr(forged["arange"](100)).splitlines())) <= 88


def test_results_are_wrapped_at_every_depth(forged: Forged) -> None:
    parts = forged["split"]([1, 2, 3, 4], 2)
    assert type(parts) is list and all(type(p) is forged.type for p in parts)
    rows, columns = forged["nonzero"]([[0, 1], [1, 0]])
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
    assert type(forged["mean"]([1, 2])) is float
    assert type(forged["argmax"]([1, 2])) is int
    assert type(forged["any"]([1, 2])) is bool
    assert type(forged["binary_repr"](5)) is str


def test_arguments_are_unwrapped_at_every_depth(forged: Forged) -> None:
    a, b = forged.array([1, 2]), forged.array([3, 4])
    assert forged["concatenate"]([a, b]).tolist() == [1, 2, 3, 4]
    assert forged["block"]([[a, b], [b, a]]).tolist() == [[1, 2, 3, 4], [3, 4, 1, 2]]
    assert forged["take"](a, indices=forged.array([1, 1])).tolist() == [2, 2]
    assert forged["stack"]((a, [5, 6])).tolist() == [[1, 2], [5, 6]]
    assert forged.array([a, b]).tolist() == [[1, 2], [3, 4]]
    assert forged["sum"](iter([a, b]), axis=0).tolist() == [4, 6]


def test_out_receives_the_result_and_is_returned(forged: Forged) -> None:
    target = forged["zeros"](2)
    result = forged["add"]([1, 2], [3, 4], out=target)
    assert result is target
    assert target.tolist() == [4.0, 6.0]


def test_functions_that_work_in_place_change_the_callers_array(forged: Forged) -> None:
    x = forged.array([[1, 2], [3, 4]])
    assert forged["fill_diagonal"](x, 0) is None
    assert x.tolist() == [[0, 2], [3, 0]]
    forged["put"](x, [0], [9])
    forged["copyto"](x[1], [7, 7])
    forged["place"](x, x == 2, [5])
    assert x.tolist() == [[9, 5], [7, 7]]


def test_callbacks_receive_forged_arrays_and_may_return_them(forged: Forged) -> None:
    seen: list[type] = []

    def spread(row: Any) -> Any:
        seen.append(type(row))
        return row * 2

    assert forged["apply_along_axis"](spread, 1, [[1, 2], [3, 4]]).tolist() == [[2, 4], [6, 8]]
    assert set(seen) == {forged.type}
    assert forged["apply_along_axis"](forged["max"], 0, [[1, 2], [3, 0]]).tolist() == [3, 2]
    assert forged["fromfunction"](lambda i, j: i * 10 + j, (2, 2)).tolist() == [[0, 1], [10, 11]]
    assert forged["piecewise"]([-1.0, 2.0], [[True, False], [False, True]], [abs, lambda v: v * 3]).tolist() == [
        1.0,
        6.0,
    ]


def test_an_error_of_a_callback_reaches_the_caller_as_it_was_raised(forged: Forged) -> None:
    class Mine(Exception):
        pass

    def fail(row: Any) -> Any:
        raise Mine("my own words")

    with pytest.raises(Mine, match="my own words") as caught:
        forged["apply_along_axis"](fail, 0, [[1.0]])
    assert caught.value.__context__ is None


def test_named_results_keep_their_fields_under_forged_names(forged: Forged) -> None:
    names = forged.names
    result = forged["linalg.slogdet"]([[2.0, 0.0], [0.0, 3.0]])
    sign, logarithm = result
    assert (sign, logarithm) == (1.0, pytest.approx(math.log(6)))
    assert getattr(result, names.fields["sign"]) == 1.0
    assert type(result).__name__ == names.results["linalg.slogdet"]
    assert pickle.loads(pickle.dumps(result)) == result
    counts = forged["unique_counts"]([3, 1, 3])
    assert sorted(zip(counts[0], getattr(counts, names.fields["counts"]), strict=True)) == [(1, 1), (3, 2)]


def test_a_backend_that_warns_is_silent_and_warnings_of_the_program_are_not(forged: Forged) -> None:
    def noisy(row: Any) -> Any:
        warnings.warn("mine", UserWarning, stacklevel=1)
        return row

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        before = warnings.filters
        forged.array([1.0]) / 0
        forged["log"]([-1.0, 0.0])
        forged["mean"]([])
        forged["apply_along_axis"](noisy, 0, [1.0])
        assert warnings.filters is before
    assert [str(w.message) for w in seen] == ["mine"]


def test_subclasses_of_plain_data_are_taken_as_what_they_are(forged: Forged) -> None:
    from decimal import Decimal
    from enum import IntEnum
    from fractions import Fraction

    class Level(IntEnum):
        HIGH = 3

    assert forged.array([Level.HIGH, 1]).tolist() == [3, 1]
    assert forged.array([Fraction(1, 2), Decimal("1.5")]).tolist() == [0.5, 1.5]
    assert forged["sum"](range(4)) == 6
    assert forged["sum"]({"a": 2, "b": 3}.values()) == 5
    for value in ({1, 2}, {"a": 1}, object()):
        with pytest.raises(TypeError, match=r"cannot work on an object of type|library error"):
            forged["sum"](value)
