"""What plain data is, and the marks for what is not: refused values, prepared arguments, carried exceptions.

Only these types and their subclasses' own contents go down to the backend. How they go is in `crossing.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None), type(...)})

# What an object of a subclass holds, read with the base type's own methods: no method of the caller is asked.
BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda value: complex.__add__(value, 0)),
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
)


class Refused(Exception):
    """A value that is not plain data; its text is the name of the type."""


class Carried(BaseException):
    """An exception of the program's own callback on its way through the backend."""


class Prepared:
    """An argument that the package itself has turned into what the backend wants: an element kind, a callback."""

    __slots__ = ("shown", "value")

    def __init__(self, value: Any, shown: str) -> None:
        self.value = value
        self.shown = shown


def name_of(cls: Any) -> str:
    """The name of a class; a metaclass is not asked."""
    name: str = type.__dict__["__name__"].__get__(cls)
    return name
