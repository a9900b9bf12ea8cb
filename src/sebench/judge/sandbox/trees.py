"""Encodes the value that a program returned as a tagged tree (`values/tagged.py`). Containers and numbers are read with
the methods of their base types, so an object of a subclass that overrides methods is encoded as the value that it
contains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MOST_NODES = 200_000
MOST_DEPTH = 50
JSON_KINDS = frozenset({"bool", "int", "float"})  # dtypes of arrays whose elements are valid JSON unchanged
# The contents of an object of a subclass, read with the base type's own methods.
BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda value: complex.__add__(value, 0)),
    (str, lambda value: str.__str__(value) if type(str.__str__(value)) is str else "".join(str.__iter__(value))),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
)


class ValueTooLarge(Exception):
    """The returned value has more parts than may be sent."""


class Opaque:
    """Represents an object on the other side of the wall, of which only the type name is known: each type is
    represented by a subclass with that name."""


class Encoder:
    """Builds tagged trees, with limits on their size."""

    def __init__(self, array_type: type) -> None:
        self.array_type = array_type
        self.nodes = 0

    def tree(self, value: Any, depth: int = 0) -> Any:
        kind = type(value)
        self._count(1)
        if depth > MOST_DEPTH:
            raise ValueTooLarge(f"more than {MOST_DEPTH} levels")
        if value is None or kind is bool or kind is float:
            return value
        if kind is str:
            self._count(len(value) // 8)
            return value
        if kind is int:
            return value if -(1 << 63) < value < 1 << 63 else ["i", self._hex(value)]
        if kind is self.array_type:
            flat, shape, word = value.__reduce__()[1]
            self._count(len(flat))
            return ["a", word, list(shape), flat if word in JSON_KINDS else [self.tree(v, depth + 1) for v in flat]]
        if isinstance(value, list):
            return ["l", *[self.tree(v, depth + 1) for v in list.__iter__(value)]]
        if isinstance(value, tuple):
            return ["t", *[self.tree(v, depth + 1) for v in tuple.__iter__(value)]]
        if isinstance(value, dict):
            return ["d", *[[self.tree(k, depth + 1), self.tree(v, depth + 1)] for k, v in dict.items(value)]]
        if kind is set or kind is frozenset:
            return ["s", *[self.tree(v, depth + 1) for v in value]]
        if kind is complex:
            return ["c", value.real, value.imag]
        if kind is bytes:
            self._count(len(value) // 8)
            return ["b", value.hex()]
        for base, held in BASES[:-1]:
            if isinstance(value, base):
                return self.tree(held(value), depth)
        return ["x", str(kind.__name__)[:80]]

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MOST_NODES:
            raise ValueTooLarge(f"more than {MOST_NODES:,} parts")

    def _hex(self, value: int) -> str:
        if value.bit_length() > 1 << 20:
            raise ValueTooLarge("an integer of more than a million bits")
        return hex(value)
