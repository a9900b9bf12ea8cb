"""Equality of values: which values are equal, which are not, where a difference is, and the value trees that a
candidate may send."""

from __future__ import annotations

import json
import math
import reprlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.base.records import Kind
from sebench.values.equality import Difference, difference
from sebench.values.tagged import MAX_DEPTH, MAX_NODES, Unreadable, encode, validate

NAN, INF = math.nan, math.inf
SHORT = reprlib.Repr()  # for the names of tests about huge values
SHORT.maxlist = SHORT.maxstring = SHORT.maxother = 30


def array(value: Any, word: str = "float") -> list[Any]:
    """The tree of an array with the elements of nested lists."""
    shape, flat = [], [value]
    while flat and isinstance(flat[0], list):
        shape.append(len(flat[0]))
        flat = [element for inner in flat for element in inner]
    return ["a", word, shape, [encode(v) for v in flat]]


def strict(expected: Any, got: Any, rtol: float = 1e-6, atol: float = 1e-9) -> Difference | None:
    return difference(encode(expected), encode(got), "strict", rtol, atol)


def paper(expected: Any, got: Any) -> Difference | None:
    return difference(encode(expected), encode(got), "paper", 1e-6, 1e-9)


atoms = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=4)
atoms = atoms | st.complex_numbers()
keys = st.recursive(atoms, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=4)
plain = st.recursive(
    atoms | st.sets(keys, max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4) | st.lists(inner, max_size=3).map(tuple) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)
numbers = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6)
matrices = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda n: st.lists(st.lists(numbers, min_size=n[1], max_size=n[1]), min_size=n[0], max_size=n[0])
)


@given(plain)
def test_every_plain_value_equals_itself(value: Any) -> None:
    sent = validate(json.loads(json.dumps(encode(value))))
    assert difference(encode(value), sent, "strict", 0.0, 0.0) is None
    assert difference(encode(value), sent, "paper", 0.0, 0.0) is None


@given(plain, plain)
def test_equality_is_symmetric(one: Any, other: Any) -> None:
    assert (strict(one, other, 0.0) is None) == (strict(other, one, 0.0) is None)
    assert (paper(one, other) is None) == (paper(other, one) is None)


@given(matrices, st.data())
def test_a_number_changed_by_more_than_the_tolerance_differs(matrix: list[list[Any]], data: st.DataObject) -> None:
    i = data.draw(st.integers(0, len(matrix) - 1))
    j = data.draw(st.integers(0, len(matrix[0]) - 1))
    changed = [list(row) for row in matrix]
    changed[i][j] += data.draw(st.sampled_from([1, -1])) * (abs(matrix[i][j]) * 3e-6 + 1e-8)
    found = strict(matrix, changed)
    assert found and found.kind is Kind.WRONG_VALUE and found.path == f"[{i}][{j}]"
    assert difference(encode(matrix), array(changed), "strict", 1e-6, 1e-9) == found
    near = [[v + abs(v) * 5e-7 for v in row] for row in matrix]
    assert strict(matrix, near) is None


@given(matrices)
def test_an_array_equals_its_nested_lists(matrix: list[list[Any]]) -> None:
    tree = array(matrix)
    rows = ["l", *[array(row) for row in matrix]]
    for one in (encode(matrix), tree, rows):
        for other in (encode(matrix), tree, rows):
            assert difference(one, validate(other), "strict", 0.0, 0.0) is None
            assert difference(one, validate(other), "paper", 0.0, 0.0) is None


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (["t", ["l", 1], ["l", 2.0]], ["t", ["a", "int", [1], [1]], ["a", "float", [1], [2.0]]]),
        (2.5, ["a", "float", [], [2.5]]),
        (["l", 2.5], ["l", ["a", "float", [], [2.5]]]),
        (["l", True, False], ["a", "bool", [2], [True, False]]),
        (["l", "ab", "c"], ["a", "text", [2], ["ab", "c"]]),
        (["l", ["c", 1.0, 2.0]], ["a", "complex", [1], [["c", 1, 2]]]),
        (["l"], ["a", "float", [0], []]),
        (["l", ["l"], ["l"]], ["a", "float", [2, 0], []]),
        (["i", hex(2**70)], float(2**70)),
        (3, 3.0),
        (0.0, -0.0),
        (NAN, NAN),
        (["l", NAN, INF, -INF], ["a", "float", [3], [NAN, INF, -INF]]),
        (["c", NAN, 1.0], ["c", NAN, 1.0]),
        (["d", ["a", 1], ["b", 2]], ["d", ["b", 2.0], ["a", 1]]),
        (["d", [0.3, 1], [2, 5]], ["d", [2, 5], [0.1 + 0.2, 1]]),
        (["s", 1, 2, 0.3], ["s", 0.1 + 0.2, 2.0, 1]),
    ],
)
def test_alike(expected: Any, got: Any) -> None:
    assert difference(expected, validate(got), "strict", 1e-6, 1e-9) is None
    assert difference(validate(got), expected, "strict", 1e-6, 1e-9) is None


VALUE, SHAPE, TYPE = Kind.WRONG_VALUE, Kind.WRONG_SHAPE, Kind.WRONG_TYPE


@pytest.mark.parametrize(
    ("expected", "got", "kind"),
    [
        (2.5, 2.509, VALUE),
        (2.5, 2.5 * (1 + 1e-5), VALUE),
        (10**15, 10**15 + 1, VALUE),  # ints are exact
        ([1, 2, 3], [[1], [2], [3]], SHAPE),
        (1, True, TYPE),
        (True, 1, TYPE),
        (True, 0.995, TYPE),
        (3.0, "3.0", TYPE),
        ([1, 2], "[1, 2]", TYPE),
        (3.0, [[3.0]], SHAPE),
        ([[3.0]], 3.0, SHAPE),
        ([1.0, 2.0], [[1.0, 2.0]], SHAPE),
        (["a"], [["a"]], SHAPE),
        (2.5, NAN, VALUE),
        (NAN, 2.5, VALUE),
        ([1.0, 2.0], [NAN, NAN], VALUE),
        (INF, 1e308, VALUE),
        (1e308, INF, VALUE),
        (INF, -INF, VALUE),
        (10**400, INF, VALUE),
        ([], [[]], SHAPE),
        ([[]], [], SHAPE),
        ([1, 2], [1, 2, 3], SHAPE),
        ([1, 2], [1], SHAPE),
        ([[1, 2], [3]], [[1, 2], [3, 4]], SHAPE),
        ([1, 2], (1, 2), TYPE),
        ((1, 2), [1, 2], TYPE),
        ([1, 2], {1, 2}, TYPE),
        ([1, 2], {0: 1, 1: 2}, TYPE),
        ({"mean": 1}, {"Mean": 1}, VALUE),
        ({"mean": 1}, {"mean": 1, "more": 2}, VALUE),
        ({"mean": 1, "std": 2}, {"mean": 1}, VALUE),
        ({1: "a"}, {True: "a"}, VALUE),
        ({1, 2}, {1, 3}, VALUE),
        ({1, 2}, {1}, VALUE),
        (["ab", "c"], ["a", "bc"], VALUE),
        ([3, 1, 2], [1, 2, 3], VALUE),
        ("abc", b"abc", TYPE),
        (1.0, 1.0 + 0j, TYPE),
        (1 + 1j, 1 + 1.001j, VALUE),
        (1.0, None, TYPE),
        (None, 0, TYPE),
        (0, [], SHAPE),
    ],
)
def test_apart(expected: Any, got: Any, kind: Kind) -> None:
    found = strict(expected, got)
    assert found is not None and found.kind is kind, found
    assert "\n" not in str(found)


def test_what_is_no_plain_value_equals_nothing() -> None:
    thing = ["x", "generator"]
    for expected in (["l", 1.5], thing, "generator", ["x", "generator"], None):
        for profile in ("strict", "paper"):
            found = difference(expected, validate(thing), profile, 1e-6, 1e-9)
            assert found and found.kind is Kind.WRONG_TYPE
    assert difference(encode(Unreadable("cut short")), encode([1]), "strict", 0, 0) is not None


def test_a_set_of_objects_does_not_equal_another() -> None:
    assert difference(["s", ["x", "Color"]], ["s", ["x", "Color"]], "strict", 0, 0) is not None
    assert difference(["d", [["x", "Color"], 1]], ["d", [["x", "Color"], 1]], "strict", 0, 0) is not None


def test_a_key_sent_twice_does_not_hide_a_missing_one() -> None:
    twice = validate(["d", ["a", 1], ["a", 1]])
    assert difference(encode({"a": 1, "b": 2}), twice, "strict", 0, 0) is not None
    assert difference(encode({"a": 1}), twice, "strict", 0, 0) is not None
    assert difference(encode({1, 2}), validate(["s", 1, 1]), "strict", 0, 0) is not None


@pytest.mark.parametrize("size", [1001, 5000])
def test_one_wrong_element_in_the_middle_of_many(size: int) -> None:
    right = [float(i) for i in range(size)]
    wrong = [*right[: size // 2], -1.0, *right[size // 2 + 1 :]]
    found = difference(encode(right), array(wrong), "strict", 1e-6, 1e-9)
    assert found and found.path == f"[{size // 2}]"


@pytest.mark.parametrize(
    ("expected", "got", "told"),
    [
        ([1.0, 2.0, 2.5], [1.0, 2.0, 3.0], "at [2]: 3.0 is not 2.5"),
        ([{"mean": [1, 2, 3]}], [{"mean": [1, 2, 4]}], "at [0]['mean'][2]: 4 is not 3"),
        ([1, 2, 3], [[1], [2], [3]], "shape (3, 1) is not (3,)"),
        ({"a": [[1, 2]]}, {"a": [1, 2]}, "at ['a']: shape (2,) is not (1, 2)"),
        (3.0, [3.0], "shape (1,) is not ()"),
        (3.0, "3.0", "str '3.0' is not float 3.0"),
        ([1, 2], (1, 2), "tuple (1, 2) is not list [1, 2]"),
        ([[1, 2], [3]], [[1, 2], [3, 4]], "at [1]: shape (2,) is not (1,)"),
        ({"a": 1}, {}, "at ['a']: nothing is not 1"),
        ("a\nb", "a", "'a' is not 'a\\nb'"),
    ],
)
def test_a_difference_says_where_and_what(expected: Any, got: Any, told: str) -> None:
    assert str(strict(expected, got)) == told


def test_messages_are_short_whatever_the_value() -> None:
    for value in (
        "x" * 10**6,
        10**2000,
        list(range(10**5)),
        {str(i): i for i in range(10**4)},
        b"z" * 10**5,
        {"k" * 999: 1},
    ):
        assert len(str(strict(value, None))) < 250
        assert len(str(strict([value], [value, 1]))) < 250
    nested: Any = 1
    for _ in range(MAX_DEPTH - 1):
        nested = [nested, nested] if len(str(nested)) < 500 else [nested]
    assert len(str(strict(nested, "no"))) < 400


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (2.5, 2.509),
        (2.5, [[2.5]]),
        ([1, 2, 3], [[1], [2], [3]]),
        ([1, 2], (1, 2)),
        (1, True),
        (True, 0.995),
        (1.0, 1.0 + 0.001j),
        (1 + 1j, 1 + 1.001j),
        ({"a": [1.0]}, {"a": 1.001}),
    ],
)
def test_the_paper_profile_is_loose(expected: Any, got: Any) -> None:
    assert paper(expected, got) is None
    assert strict(expected, got) is not None


@pytest.mark.parametrize(
    ("expected", "got"),
    [(2.5, 2.52), ("a", "b"), ([1, 2], [1, 2, 3]), (3.0, "3.0"), ({"a": 1}, {"b": 1}), (NAN, 1.0), (["ab"], ["a"])],
)
def test_but_not_blind(expected: Any, got: Any) -> None:
    assert paper(expected, got) is not None


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="no profile 'lax'; choose one of: strict, paper"):
        difference(1, 1, "lax", 0, 0)


@given(matrices)
def test_the_paper_profile_accepts_whatever_strict_accepts(matrix: Any) -> None:
    near = [tuple(v * (1 + 5e-7) if abs(v) < 100 else v for v in row) for row in matrix]
    assert paper(matrix, near) is None


class _Sly(list):  # type: ignore[type-arg]
    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize(
    "value", [_Sly(), object(), range(3), [1, object()], {"a": range(2)}, bytearray(b"x"), iter([])]
)
def test_only_exact_plain_types_are_encoded(value: Any) -> None:
    with pytest.raises(TypeError, match="is not a plain value"):
        encode(value)


def test_a_value_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested more than"):
        encode(endless)


def deep(levels: int) -> Any:
    tree: Any = 1
    for _ in range(levels):
        tree = ["l", tree]
    return tree


@pytest.mark.parametrize(
    "tree",
    [
        {},
        [],
        [1],
        [None, 1],
        ["q", 1],
        ["", 1],
        ["ld"],
        [["l"], 1],
        ["l", {}],
        ["d", 1],
        ["d", ["a"]],
        ["d", ["a", 1, 2]],
        ["d", [["l", 1], 2]],
        ["d", [["t", ["d"]], 2]],
        ["s", ["l"]],
        ["s", ["a", "int", [1], [1]]],
        ["c", 1.0],
        ["c", "1", 2.0],
        ["c", True, 2.0],
        ["c", 1.0, 2.0, 3.0],
        ["b", "0"],
        ["b", "zz"],
        ["b", 1],
        ["i", "1_0"],
        ["i", " 1"],
        ["i", ""],
        ["i", 5],
        ["x"],
        ["x", 1],
        ["x", ["l"]],
        ["a"],
        ["a", "int", [2], [1]],
        ["a", "int", [-1], []],
        ["a", "int", [-1, -2], [1, 2]],
        ["a", "int", [1.0], [1]],
        ["a", "int", [True], [1]],
        ["a", "int", 1, [1]],
        ["a", "int", [1], 1],
        ["a", 3, [1], [1]],
        ["a", "int" * 99, [1], [1]],
        ["a", "int", [1], [["l", 1]]],
        ["a", "int", [1], [{}]],
        ["a", "int", [1], [["c", 1]]],
        ["a", "int", [10**7, 0], []],
        ["a", "int", [1000, 2000, 0], []],
        ["a", "int", [10**30, 0], []],
        ["a", "int", [1] * 80, [1]],
        deep(MAX_DEPTH + 1),
        ["l"] + [0] * MAX_NODES,
        ["a", "int", [MAX_NODES], [0] * MAX_NODES],
    ],
    ids=lambda tree: SHORT.repr(tree)[:30],
)
def test_a_malformed_tree_is_refused(tree: Any) -> None:
    with pytest.raises(ValueError) as caught:
        validate(tree)
    assert len(str(caught.value)) < 300


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([*"ltdscbiax", "0f"])
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=20,
)


@given(json_values, plain)
def test_whatever_was_sent_is_refused_or_can_be_compared(sent: Any, expected: Any) -> None:
    try:
        tree = validate(sent)
    except ValueError:
        return
    for profile in ("strict", "paper"):
        found = difference(encode(expected), tree, profile, 1e-6, 1e-9)
        assert found is None or str(found)
        back = difference(tree, tree, profile, 1e-6, 1e-9)
        assert back is None or str(back)


def test_trees_up_to_the_limits_are_accepted() -> None:
    assert validate(deep(MAX_DEPTH)) and validate(["l", *[0] * (MAX_NODES - 1)])
