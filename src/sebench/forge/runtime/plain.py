"""The types of plain data, and classes for what is not plain: refused values, prepared arguments, carried exceptions.

Only values of these types, and the contents of their subclasses, are passed to the backend (see `crossing.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None), type(...)})

# Reads the contents of a subclass's object with the methods of the base type, so that no caller's method is called.
BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda value: complex.__add__(value, 0)),
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
)


class Refused(Exception):
    """Raised for a value that is not plain data; its text is the name of the type."""


class Carried(BaseException):
    """Carries an exception raised by the program's own callback through the backend."""


class Prepared:
    """An argument that is already converted for the backend, such as an element kind or a callback."""

    __slots__ = ("shown", "value")

    def __init__(self, value: Any, shown: str) -> None:
        self.value = value
        self.shown = shown


def name_of(cls: Any) -> str:
    """Return the name of a class without calling its metaclass."""
    name: str = type.__dict__["__name__"].__get__(cls)
    return name
