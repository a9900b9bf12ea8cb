from __future__ import annotations

from collections.abc import Callable
from typing import Any

PLAIN = frozenset({int, float, bool, complex, str, bytes, type(None), type(...)})

BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda value: complex.__add__(value, 0)),
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
)


class Refused(Exception):
    pass


class Carried(BaseException):
    pass


class Prepared:


    __slots__ = ("shown", "value")

    def __init__(self, value: Any, shown: str) -> None:
        self.value = value
        self.shown = shown


def name_of(cls: Any) -> str:

    name: str = type.__dict__["__name__"].__get__(cls)
    return name
