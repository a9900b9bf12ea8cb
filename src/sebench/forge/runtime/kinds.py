"""Element kinds: the words that a program reads and writes, and the backend's letters for them.

A kind without a word (Python values of different kinds in one array) is shown as "mixed" and cannot be requested.
"""

from __future__ import annotations

from typing import Any

from .plain import Prepared, name_of

# Element kinds by the words that a program writes, and the backend's letters for them.
KINDS = {
    "bool": "?", "int": "i8", "float": "f8", "complex": "c16", "text": "U", "bytes": "S",
    "int_8": "i1", "int_16": "i2", "int_32": "i4",
    "unsigned_8": "u1", "unsigned_16": "u2", "unsigned_32": "u4", "unsigned_64": "u8",
    "float_16": "f2", "float_32": "f4", "complex_64": "c8",
}  # fmt: skip
TYPES = {bool: "bool", int: "int", float: "float", complex: "complex", str: "text", bytes: "bytes"}
LETTERS = {"b": "bool", "i": "int", "u": "unsigned", "f": "float", "c": "complex", "U": "text", "S": "bytes"}


def word(dtype: Any) -> str:
    """Return the word for an element kind."""
    letter, width = dtype.kind, int(dtype.str[2:] or 0)  # "<f8", "|O"
    name = LETTERS.get(letter, "mixed")
    native = {"i": 8, "f": 8, "c": 16}.get(letter, 0)
    return name if letter not in "iufc" or width == native else f"{name}_{width * 8}"


def kind(value: Any) -> Any:
    """Return the element kind for what a program passed: a word, or one of Python's own types."""
    if value is None:
        return None
    if isinstance(value, type) and value in TYPES:
        value = TYPES[value]
    if type(value) is str and value in KINDS:
        return Prepared(KINDS[value], repr(value))
    shown = repr(value) if type(value) is str else f"an object of type {name_of(type(value))}"
    raise TypeError(f"{shown} is not an element kind; the kinds are {', '.join(KINDS)}")


def kinds(value: Any) -> Any:
    """Like `kind`, for a list of element kinds, or for a single one."""
    return [kind(v) for v in value] if isinstance(value, (list, tuple)) else value if value is None else [kind(value)]
