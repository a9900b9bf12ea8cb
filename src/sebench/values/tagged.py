"""Values as tagged JSON: the only form in which a value crosses from a candidate's process to the judge.

None, bool, int, float and str stay as they are. Everything else is a list that begins with a tag: ["l", ...] list,
["t", ...] tuple, ["d", [key, value], ...] dict, ["s", ...] set, ["c", real, imaginary] complex, ["b", hex] bytes, ["i",
hex] an int that does not fit in 64 bits, ["a", kind, [shape], [elements]] array (kind: the dtype), and ["x", type name]
for anything else, which is equal to nothing.

`encode` is for the judge's own values (expected values, inputs): exact plain types, no subclasses. `validate` is for
trees that a candidate sent, and trusts no part of them. Neither needs NumPy; the encoder for forged arrays is in the
sandbox.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any

Tree = Any  # None | bool | int | float | str | list[Tree]

MAX_DEPTH = 60
MAX_NODES = 1_000_000
INT_LIMIT = 2**63

_LEAVES = frozenset("cbix")
_ATOMS = frozenset({bool, int, float, str, type(None)})
_HEX_INT = re.compile(r"-?(?:0x)?[0-9a-f]+")
_HEX_BYTES = re.compile(r"(?:[0-9a-f]{2})*")


@dataclass(frozen=True)
class Unreadable:
    """Placeholder for an expected value that a file does not show, such as a truncated printout. It is equal to
    nothing."""

    reason: str


def encode(value: Any, depth: int = 0) -> Tree:
    """Return plain data as a tagged tree. Raises TypeError for any other type, including subclasses, and ValueError if
    the data is nested too deeply."""
    kind = type(value)
    if kind is float or kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return value if -INT_LIMIT <= value < INT_LIMIT else ["i", hex(value)]
    if depth >= MAX_DEPTH:
        raise ValueError(f"the value is nested more than {MAX_DEPTH} levels deep")
    depth += 1
    if kind is list or kind is tuple:
        return ["l" if kind is list else "t", *[encode(v, depth) for v in value]]
    if kind is dict:
        return ["d", *[[encode(k, depth), encode(v, depth)] for k, v in value.items()]]
    if kind is complex:
        return ["c", value.real, value.imag]
    if kind is set or kind is frozenset:
        return ["s", *[encode(v, depth) for v in value]]
    if kind is bytes:
        return ["b", value.hex()]
    if kind is Unreadable:
        return ["x", value.reason]
    raise TypeError(f"a {kind.__module__}.{kind.__qualname__} is not a plain value: {_quote_short(value)}")


def validate(tree: Any) -> Tree:
    """Return the tree, which may be hostile, if it is well formed; otherwise raise ValueError with the reason."""
    _check(tree, 0, MAX_NODES, False)
    return tree


def _check(tree: Any, depth: int, room: int, hashed: bool) -> int:
    """Check a node, and return how many more nodes are allowed. `hashed`: whether it is a dict key or an element of a
    set."""
    room -= 1
    if room < 0:
        raise ValueError(f"the value has more than {MAX_NODES:,} nodes")
    if type(tree) in _ATOMS:
        return room
    if type(tree) is not list or not tree:
        raise ValueError(f"{_quote_short(tree)} is not a tagged value")
    if depth >= MAX_DEPTH:
        raise ValueError(f"the value is nested more than {MAX_DEPTH} levels deep")
    tag = tree[0]
    if type(tag) is not str:
        raise ValueError(f"{_quote_short(tag)} is not a tag")
    if tag == "t" or tag == "s" or (tag == "l" and not hashed):
        inner = hashed or tag == "s"
        for i in range(1, len(tree)):
            room = _check(tree[i], depth + 1, room, inner)
        return room
    if tag == "d" and not hashed:
        for i in range(1, len(tree)):
            entry = tree[i]
            if type(entry) is not list or len(entry) != 2:
                raise ValueError(f"{_quote_short(entry)} is not an entry of a dict")
            room = _check(entry[0], depth + 1, room, True)
            room = _check(entry[1], depth + 1, room, False)
        return room
    if tag == "a" and not hashed:
        return _check_array(tree, depth, room)
    if tag in _LEAVES:
        _check_leaf(tree)
        return room
    raise ValueError(f"{tag!r} cannot be a key" if tag in ("l", "d", "a") else f"{_quote_short(tag)} is not a tag")


def _check_leaf(tree: list[Any]) -> None:
    tag = tree[0]
    if tag == "c":
        if len(tree) == 3 and all(
            type(part) is float or (type(part) is int and -INT_LIMIT < part < INT_LIMIT) for part in tree[1:]
        ):
            return
    elif (
        len(tree) == 2
        and type(tree[1]) is str
        and (tag == "x" or (_HEX_INT if tag == "i" else _HEX_BYTES).fullmatch(tree[1]))
    ):
        return
    raise ValueError(f"{_quote_short(tree)} is not a well-formed {tag!r}")


def _check_array(tree: list[Any], depth: int, room: int) -> int:
    if len(tree) != 4 or type(tree[1]) is not str or len(tree[1]) > 64:
        raise ValueError(f"{_quote_short(tree)} is not an array")
    _, _, shape, elements = tree
    if type(shape) is not list or type(elements) is not list or len(shape) > MAX_DEPTH - depth:
        raise ValueError("an array must have a shape and elements")
    if any(type(n) is not int or not 0 <= n < INT_LIMIT for n in shape):
        raise ValueError(f"{_quote_short(shape)} is not a shape")
    if prod(shape) != len(elements) or any(n > MAX_NODES for n in shape):
        raise ValueError(f"the shape {_quote_short(shape)} is too large, or does not match {len(elements):,} elements")
    room -= prod(n or 1 for n in shape)  # even without elements, it may be huge as nested lists
    if room < 0:
        raise ValueError(f"the value has more than {MAX_NODES:,} nodes")
    if not _ATOMS.issuperset(map(type, elements)):
        for element in elements:
            if type(element) is list and element and type(element[0]) is str and element[0] in _LEAVES:
                _check_leaf(element)
            elif type(element) not in _ATOMS:
                raise ValueError(f"{_quote_short(element)} is not a valid array element")
    return room


def _quote_short(thing: Any) -> str:
    """Quote any value briefly, for a message."""
    if type(thing) is list:
        if len(thing) > 4 or any(type(v) is list for v in thing):
            return "[...]"
        return f"[{', '.join(map(_quote_short, thing))}]"
    if type(thing) in (float, bool, type(None)):
        return repr(thing)
    if type(thing) is str:
        return repr(thing[:40])
    if type(thing) is int and thing.bit_length() < 100:
        return str(thing)
    return f"a {type(thing).__name__}"
