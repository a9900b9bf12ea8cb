"""Compares values by type and structure, without ever calling a method of a candidate's object.

`difference` compares two tagged trees (`tagged.py`) and reports where and how the second differs from the first.

Profile `strict`: bool, number, complex, text, bytes and None are different types; int and float are both numbers; a
list is not a tuple; arrays and nested lists are the same; nan equals nan; nothing is unwrapped. Two ints are compared
exactly, other numbers by |got - expected| <= atol + rtol * |expected|. Keys of dicts and elements of sets follow the
same rules (numbers among them are paired in ascending order).

Profile `paper`, for comparison with published figures: the absolute tolerance is 1e-2 for every task, sequences of one
element are unwrapped, and neither lists, tuples and arrays nor the types of numbers are distinguished.

`difference` trusts the trees, so validate them first (`tagged.validate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import hypot, inf, isfinite
from typing import Any

from sebench.base.records import Kind
from sebench.values.tagged import Tree

PAPER_ATOL = 1e-2
SHOWN = 60  # characters of a value in a message

_NAMES: dict[object, str] = {
    "l": "list",
    "t": "tuple",
    "d": "dict",
    "s": "set",
    "c": "complex",
    "b": "bytes",
    "i": "int",
    "a": "array",
}
_KINDS: dict[object, str] = {
    **_NAMES, "i": "number", "x": "other",
    float: "number", int: "number", bool: "bool", str: "text", type(None): "None",
}  # fmt: skip
_NUMERIC = frozenset({"bool", "number", "complex"})


class Profile(StrEnum):
    """How strictly values are compared."""

    STRICT = "strict"
    PAPER = "paper"


@dataclass(frozen=True)
class Difference:
    """The first place at which two values differ."""

    kind: Kind  # WRONG_VALUE, WRONG_SHAPE or WRONG_TYPE
    path: str  # "[0]['mean'][2]"; "" for the whole value
    expected: str
    got: str

    def below(self, step: str) -> Difference:
        """Return the same difference with one more step at the front of its path. Paths are built only for differences,
        which are rare."""
        return Difference(self.kind, step + self.path, self.expected, self.got)

    def __str__(self) -> str:
        text = f"{self.got} is not {self.expected}"
        return f"at {self.path}: {text}" if self.path else text


def difference(expected: Tree, got: Tree, profile: str, rtol: float, atol: float) -> Difference | None:
    """Return where `got` first differs from `expected`, or None if they are equal under this profile."""
    if profile == Profile.PAPER:
        return _Comparison(0.0, PAPER_ATOL, loose=True).compare(_loosen(expected), _loosen(got))
    if profile != Profile.STRICT:
        raise ValueError(f"no profile {profile!r}; choose one of: {', '.join(Profile)}")
    return _Comparison(rtol, atol, loose=False).compare(expected, got)


class _Comparison:
    """One comparison, with its tolerances."""

    def __init__(self, rtol: float, atol: float, loose: bool) -> None:
        self.rtol, self.atol, self.loose = rtol, atol, loose

    def compare(self, expected: Tree, got: Tree) -> Difference | None:
        if type(expected) is list and expected[0] == "a" and not expected[2]:
            expected = expected[3][0]
        if type(got) is list and got[0] == "a" and not got[2]:
            got = got[3][0]
        kind, other = self.kind(expected), self.kind(got)
        if kind != other and self.loose and {kind, other} == {"number", "complex"}:
            same = self.near_complex(_complex(expected), _complex(got))
            return None if same else Difference(Kind.WRONG_VALUE, "", show(expected), show(got))
        if kind != other:
            return _mismatch(expected, got, kind, other)
        match kind:
            case "list":
                return self.lists(expected, got)
            case "tuple":
                return self.items(expected[1:], got[1:])
            case "dict":
                return self.dicts(expected, got)
            case "set":
                return self.sets(expected, got)
            case "number":
                same = self.near(_number(expected), _number(got))
            case "complex":
                same = self.near_complex(expected, got)
            case _:
                same = expected == got and kind != "other"
        if same:
            return None
        return Difference(Kind.WRONG_TYPE if kind == "other" else Kind.WRONG_VALUE, "", show(expected), show(got))

    def kind(self, tree: Tree) -> str:
        """Return the type of a value, as far as this comparison distinguishes types."""
        kind = _kind(tree)
        return ("number" if kind == "bool" else kind) if self.loose else kind

    def near(self, expected: int | float, got: int | float) -> bool:
        if expected == got:
            return True
        if type(expected) is int and type(got) is int and not self.loose:
            return False
        try:
            if expected != expected or got != got:
                return expected != expected and got != got
            return abs(got - expected) <= self.atol + self.rtol * abs(expected) < inf
        except OverflowError:  # an int that is too large for a float
            return False

    def near_complex(self, expected: Tree, got: Tree) -> bool:
        a, b, c, d = _float(expected[1]), _float(expected[2]), _float(got[1]), _float(got[2])
        if a == c and b == d:
            return True
        if isfinite(a) and isfinite(b) and isfinite(c) and isfinite(d):
            return hypot(c - a, d - b) <= self.atol + self.rtol * hypot(a, b) < inf
        return self.near(a, c) and self.near(b, d)

    def lists(self, expected: Tree, got: Tree) -> Difference | None:
        """Compare two lists or arrays. A different length or depth is reported as a different shape if both values have
        a shape."""
        if expected[0] == got[0] == "a" and expected[2] != got[2]:
            return _shapes(expected, got)
        mismatch = self.items(_elements(expected), _elements(got))
        if mismatch and mismatch.kind is Kind.WRONG_SHAPE:
            return _shapes(expected, got) or mismatch
        return mismatch

    def items(self, expected: Sequence[Tree], got: Sequence[Tree]) -> Difference | None:
        if len(expected) != len(got):
            return Difference(Kind.WRONG_SHAPE, "", f"{len(expected)} elements", f"{len(got)} elements")
        rtol, atol = self.rtol, self.atol
        for i, (e, g) in enumerate(zip(expected, got, strict=True)):
            # Most elements are floats, so those that are close are compared without a call.
            if type(e) is float and type(g) is float and (e == g or abs(g - e) <= atol + rtol * abs(e) < inf):
                continue
            mismatch = self.compare(e, g)
            if mismatch:
                return mismatch.below(f"[{i}]")
        return None

    def dicts(self, expected: Tree, got: Tree) -> Difference | None:
        ours, theirs = self.positions([e[0] for e in expected[1:]]), self.positions([e[0] for e in got[1:]])
        self.pair(ours, theirs)
        for key, i in ours.items():
            name, value = expected[i + 1]
            if key not in theirs:
                return Difference(Kind.WRONG_VALUE, f"[{show(name)}]", show(value), "nothing")
            mismatch = self.compare(value, got[theirs[key] + 1][1])
            if mismatch:
                return mismatch.below(f"[{show(name)}]")
        for key, i in theirs.items():
            if key not in ours:
                name, value = got[i + 1]
                return Difference(Kind.WRONG_VALUE, f"[{show(name)}]", "nothing", show(value))
        return None

    def sets(self, expected: Tree, got: Tree) -> Difference | None:
        ours, theirs = self.positions(expected[1:]), self.positions(got[1:])
        self.pair(ours, theirs)
        if ours.keys() == theirs.keys():
            return None
        return Difference(Kind.WRONG_VALUE, "", show(expected), show(got))

    def positions(self, trees: Sequence[Tree]) -> dict[Any, int]:
        """Return the position of each key, by an identity that is the same for equal keys; repeated keys (nan) are
        counted separately."""
        places: dict[Any, int] = {}
        repeats: dict[Any, int] = {}
        for i, tree in enumerate(trees):
            key = self.identity(tree)
            if key in places:
                repeats[key] = repeats.get(key, 0) + 1
                key = ("again", key, repeats[key])
            places[key] = i
        return places

    def identity(self, tree: Tree) -> Any:
        match kind := self.kind(tree):
            case "number":
                number = _number(tree)
                return ("nan",) if number != number else number + 0  # True is 1 here
            case "complex":
                return (kind, *("nan" if part != part else part for part in tree[1:]))
            case "tuple" | "list":
                return (kind, *map(self.identity, _elements(tree)))
            case "set":
                return (kind, frozenset(map(self.identity, tree[1:])))
            case "other":
                return (kind, id(tree))
        return (kind, tree[1] if type(tree) is list else tree)

    def pair(self, ours: dict[Any, int], theirs: dict[Any, int]) -> None:
        """Give close but unequal numbers the same identity: those left over on both sides are paired in ascending
        order."""
        left = sorted(k for k in ours if type(k) in (int, float) and k not in theirs)
        right = sorted(k for k in theirs if type(k) in (int, float) and k not in ours)
        if len(left) == len(right):
            for e, g in zip(left, right, strict=True):
                if self.near(e, g):
                    theirs[e] = theirs.pop(g)


def _mismatch(expected: Tree, got: Tree, kind: str, other: str) -> Difference:
    """Describe a mismatch of types: a list in place of one of its elements, or the reverse, is a wrong shape; anything
    else is a wrong type."""
    if "list" in (kind, other) and {kind, other} & (_NUMERIC | {"text", "bytes"}):
        nested, single = (expected, other) if kind == "list" else (got, kind)
        leaf = _kind(_leaf(nested))
        if leaf in (single, "list") or (leaf in _NUMERIC and single in _NUMERIC):
            return _shapes(expected, got) or Difference(Kind.WRONG_SHAPE, "", show(expected), show(got))
    return Difference(Kind.WRONG_TYPE, "", _with_type(expected), _with_type(got))


def _shapes(expected: Tree, got: Tree) -> Difference | None:
    """Return the difference between two shapes; None unless both values are rectangular and their shapes differ."""
    ours, theirs = _shape(expected), _shape(got)
    if ours is None or theirs is None or ours == theirs:
        return None
    return Difference(Kind.WRONG_SHAPE, "", str(ours), f"shape {theirs}")


def _shape(tree: Tree) -> tuple[int, ...] | None:
    """Return the shape of an array or of nested lists; None if they are ragged."""
    if _kind(tree) != "list":
        return ()
    if tree[0] == "a":
        return tuple(tree[2])
    if list not in set(map(type, tree[1:])):
        return (len(tree) - 1,)
    inner = {_shape(element) for element in tree[1:]}
    if len(inner) > 1 or None in inner:
        return None
    return (len(tree) - 1, *(inner.pop() or () if inner else ()))


def _leaf(tree: Tree) -> Tree:
    """Return the first element that is not a list; an empty list if there is none."""
    while _kind(tree) == "list":
        elements = tree[3] if tree[0] == "a" else tree[1:2]
        if not elements:
            return ["l"]
        tree = elements[0]
    return tree


def _elements(tree: Tree, most: int | None = None) -> Sequence[Tree]:
    """Return the elements of a list, a tuple or an array with at least one dimension, as trees: all of them, or the
    first `most`."""
    if tree[0] != "a":
        elements: list[Tree] = tree[1:][:most]
        return elements
    _, word, (n, *inner), flat = tree
    if not inner:
        return list(flat[:most])
    step = len(flat) // n if n else 0
    return [["a", word, inner, flat[i * step : (i + 1) * step]] for i in range(n)[:most]]


def _loosen(tree: Tree) -> Tree:
    """Return the tree as the `paper` profile sees it: arrays and tuples become lists, and a list of one element becomes
    that element."""
    if type(tree) is not list or tree[0] not in "ltad":
        return tree
    if tree[0] == "d":
        return ["d", *[[_loosen(key), _loosen(value)] for key, value in tree[1:]]]
    if tree[0] == "a" and not tree[2]:
        return tree[3][0]
    elements = [_loosen(element) for element in _elements(tree)]
    return elements[0] if len(elements) == 1 else ["l", *elements]


def _kind(tree: Tree) -> str:
    if type(tree) is list:
        tag = tree[0]
        if tag == "a":
            return "list" if tree[2] else _kind(tree[3][0])
        return _KINDS[tag]
    return _KINDS[type(tree)]


def _number(tree: Tree) -> int | float:
    return int(tree[1], 16) if type(tree) is list else tree


def _complex(tree: Tree) -> Tree:
    return tree if _kind(tree) == "complex" else ["c", _number(tree), 0]


def _float(part: int | float) -> float:
    try:
        return float(part)
    except OverflowError:
        return inf if part > 0 else -inf


def _with_type(tree: Tree) -> str:
    """Show a value with its type in front: "str '3.0'"."""
    if tree is None:
        return "None"
    if type(tree) is not list:
        return f"{type(tree).__name__} {show(tree)}"
    return show(tree) if tree[0] == "x" else f"{_NAMES[tree[0]]} {show(tree)}"


def show(tree: Tree, room: int = SHOWN) -> str:
    """Show a value in one short line, truncated if long. Showing a large value takes no longer than showing a small
    one."""
    if type(tree) is not list:
        if type(tree) is str and len(tree) > room:
            return repr(tree[:room]) + "..."
        text = repr(tree)
        return f"{text[:room]}..." if len(text) > 2 * SHOWN else text
    match tree:
        case "x", name:
            return f"<{name[:SHOWN]}>".replace("\n", " ")
        case "c", real, imaginary:
            return str(complex(_float(real), _float(imaginary)))
        case "i", digits:
            return str(int(digits, 16)) if len(digits) <= room else f"{digits[:room]}..."
        case "b", digits:
            return repr(bytes.fromhex(digits[: room // 2 * 2])) + ("..." if len(digits) > room else "")
        case "a", _, [], (single,):
            return show(single, room)
    return _show_items(tree, room)


def _show_items(tree: list[Tree], room: int) -> str:
    tag = tree[0]
    opening, closing = {"t": ("(", ")"), "d": ("{", "}"), "s": ("{", "}")}.get(tag, ("[", "]"))
    count = tree[2][0] if tag == "a" else len(tree) - 1
    texts: list[str] = []
    if count and room > 4:
        for item in _elements(tree, SHOWN):
            if tag == "d":
                texts.append(f"{show(item[0], room // 2)}: {show(item[1], room // 2)}")
            else:
                texts.append(show(item, room - 4))
            room -= len(texts[-1]) + 2
            if room <= 0:
                break
    if len(texts) < count:
        texts.append("...")
    elif tag == "t" and count == 1:
        closing = ",)"
    return "set()" if tag == "s" and not count else opening + ", ".join(texts) + closing
