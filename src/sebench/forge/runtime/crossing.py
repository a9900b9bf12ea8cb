"""Converts values: `lower` turns a caller's value into one for the backend, `lift` turns a result into one for the caller.

Lowering may run code of the caller (`__iter__`, `__float__`), whose errors and warnings are passed on. Anything else is
refused: no foreign object reaches the backend, and no backend object reaches a caller.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .kinds import word
from .plain import BASES, PLAIN, Prepared, Refused, name_of


def lowering(Made: Any, read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return `lower`, which turns a caller's value into one for the backend. `Made` is the array type, `read` reads it."""

    def lower(value: Any) -> Any:
        cls = type(value)
        if cls is Made:
            return read(value)
        if cls in PLAIN or cls is range:
            return value
        if cls is list or cls is tuple:
            # a copy, so that it cannot change after the check; plain lists are copied in C, at 10 ns per element
            copied = cls(value)
            return copied if PLAIN.issuperset(map(type, copied)) else cls([lower(v) for v in copied])
        if cls is Prepared:
            return value.value
        if cls is slice:
            return slice(lower(value.start), lower(value.stop), lower(value.step))
        for base, held in BASES:
            if issubclass(cls, base):
                return held(value)
        if callable(value) or issubclass(cls, (set, frozenset, dict)):
            raise Refused(name_of(cls))
        if hasattr(cls, "__iter__"):
            return [lower(v) for v in value]
        if hasattr(cls, "__index__"):
            return lower(operator.index(value))
        if hasattr(cls, "__float__"):
            return float(value)
        raise Refused(name_of(cls))

    return lower


def lowering_or_error(lower: Callable[[Any], Any]) -> Callable[[Any, str], Any]:
    """Return `lowered`, which is `lower`, but raises an error that the caller may see if a value is refused."""

    def lowered(value: Any, where: str) -> Any:
        try:
            return lower(value)
        except Refused as refused:
            reason = f"{where} cannot work on an object of type {refused}"
        raise TypeError(reason)

    return lowered


def lifting(
    package: str, pick: Callable[[str], Any], wrap: Callable[[Any], Any], applied: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Return `lift`, which turns a result into one for the caller. `applied` turns a function into a forged function."""
    Held, Scalar, Kind, Applied = pick("@ndarray"), pick("@generic"), pick("@dtype"), pick("@vectorize")

    def lift(value: Any, named: Any = None) -> Any:
        cls = type(value)
        if cls is Held:
            return wrap(value)
        if cls in PLAIN:
            return value
        if isinstance(value, Scalar):
            plain = value.tolist()
            if type(plain) in PLAIN:
                return plain
            return complex(plain) if value.dtype.kind == "c" else float(plain)  # extended precision
        if cls is tuple or cls is list:
            return value if PLAIN.issuperset(map(type, value)) else cls([lift(v) for v in value])
        if isinstance(value, tuple):
            parts = [lift(v) for v in value]
            return named._make(parts) if named is not None else tuple(parts)
        if isinstance(value, Held):
            return wrap(value.view(Held))
        if isinstance(value, Kind):
            return word(value)
        if cls is Applied:
            return applied(value)
        raise TypeError(f"{package} cannot give this result")

    return lift


def listing_elements(lift: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return `values`, which lists the elements of a backend array; those of a mixed array may be arrays themselves."""

    def values(held: Any) -> Any:
        return lift(held.tolist()) if held.dtype.kind == "O" else held.tolist()

    return values
