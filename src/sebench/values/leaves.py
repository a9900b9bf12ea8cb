"""Lists the numbers, strings and booleans in a tagged tree by path, and estimates how hard each of them is to guess.

Lists, tuples and arrays are treated alike; containers are compared elsewhere (`equality.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sebench.values.tagged import Tree

Leaves = dict[tuple[Any, ...], Any]
BITS = {bool: 1.0, str: 12.0}


def leaves(tree: Tree) -> Leaves:
    """Return every leaf by its path. A set is one leaf."""
    by_path: Leaves = {}
    _collect(tree, (), by_path)
    return by_path


def _collect(tree: Tree, path: tuple[Any, ...], by_path: Leaves) -> None:
    match tree:
        case ["l" | "t", *parts]:
            for number, part in enumerate(parts):
                _collect(part, (*path, number), by_path)
        case ["a", _, shape, elements]:
            _collect_array(shape, elements, path, by_path)
        case ["d", *parts]:
            for key, part in parts:
                _collect(part, (*path, repr(key)), by_path)
        case ["c", real, imaginary]:
            by_path[path] = complex(real, imaginary)
        case ["s", *parts]:
            by_path[path] = repr(sorted(parts, key=repr))
        case _:
            by_path[path] = repr(tree) if type(tree) is list else tree


def _collect_array(shape: Sequence[int], elements: Sequence[Any], path: tuple[Any, ...], by_path: Leaves) -> None:
    if not shape:
        _collect(elements[0], path, by_path)
        return
    size = len(elements) // shape[0] if shape[0] else 0
    for number in range(shape[0]):
        _collect_array(shape[1:], elements[number * size : (number + 1) * size], (*path, number), by_path)


def same_leaf(one: Any, other: Any, rtol: float, atol: float) -> bool:
    """Whether two leaves are equal. Booleans are not numbers, and nan equals nan."""
    if isinstance(one, bool) or isinstance(other, bool) or not _is_number(one) or not _is_number(other):
        return type(one) is type(other) and bool(one == other)
    if one == other or (one != one and other != other):
        return True
    if isinstance(one, complex) or isinstance(other, complex):
        one, other = complex(one), complex(other)
        off, size = math.hypot(one.real - other.real, one.imag - other.imag), math.hypot(one.real, one.imag)
    else:
        off, size = abs(one - other), abs(one)
    return bool(math.isfinite(off) and off <= atol + rtol * size)


def differing_leaves(one: Mapping[tuple[Any, ...], Any], other: Leaves, rtol: float, atol: float) -> Leaves:
    """Return the leaves of `other` that differ from those of `one`, which has the same paths."""
    return {path: leaf for path, leaf in other.items() if not same_leaf(one[path], leaf, rtol, atol)}


def bits(leaf: Any) -> float:
    """Estimate how hard a value is to guess, in bits."""
    if isinstance(leaf, int | float) and not isinstance(leaf, bool):
        if not math.isfinite(leaf):
            return 1.0
        return min(12.0, 1 + math.log2(2 + abs(leaf))) if leaf == int(leaf) else 20.0
    return 20.0 if isinstance(leaf, complex) else BITS.get(type(leaf), 2.0)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex)
