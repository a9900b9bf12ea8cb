"""Lies that an answer must follow: made from a key that no candidate knows, so that nobody can act them out.

A function that lies in one of these ways moves gold's answer to another value. A program that does what gold does moves with it, a program that
only calls the function, tests it or sends an answer of its own through it does not. Two families:

- `of_arguments`: the function tells the truth about other arguments. Every number that it is given is replaced by another one, which depends on
  the number and the key alone. What comes out is a possible result, in the right form, and it depends on all of the arguments, so that calls
  with numbers of one's own give something else than gold's calls do. Calls row by row agree with a call on the whole table.
- `of_result`: the result is changed, but only in calls with the arguments that gold gives to its function (`Arguments`), as a whole, by rows,
  or in another unit. Every other call tells the truth.

Covered: numbers, truth values and text, in arrays, lists and tuples. Not covered: functions that neither take nor return any of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from sebench.provenance.lies import Traits

NUMBERS = (int, float, complex)
PLAIN = frozenset({bool, int, float, str, bytes})
MOST_PARTS = 2000  # elements of an argument whose rows and columns are looked at
SCALAR_DIGITS = 3  # a single number with more digits hardly stands in two places by chance


@dataclass(frozen=True)
class Move:
    """One way to lie, for one task."""

    variant: str
    key: int

    @property
    def of_arguments(self) -> bool:
        return self.variant in OF_ARGUMENTS

    def share(self, number: int) -> float:
        """A number between 0 and 1 that depends on the key."""
        return int.from_bytes(blake2b(f"{self.key}:{self.variant}:{number}".encode(), digest_size=6).digest()) / 2**48


WHOLE, REAL, WHOLE_UP, REAL_UP = "whole", "real", "whole up", "real up"
SCALED, SHIFTED, NEGATED, UNEVEN, ROTATED, CUT = "scaled", "shifted", "negated", "uneven", "rotated", "cut"
OF_ARGUMENTS = (WHOLE, REAL, WHOLE_UP, REAL_UP)


# The ways to lie: those that most programs follow, and the others.
FIRST, FURTHER = (WHOLE, SCALED), (SHIFTED, REAL, NEGATED, ROTATED, UNEVEN, WHOLE_UP, REAL_UP, CUT)


# ---- other numbers ----------------------------------------------------------------------------------------------


def replacement(move: Move) -> Callable[[Any], Any]:
    """The function that replaces elements of arguments. It keeps zero, signs, truth values (there is only one other, which can be guessed) and
    what is not finite; a small change of a number, such as the last
    digit of another order of additions, leads to a small change of its replacement."""
    whole, up = move.variant in (WHOLE, WHOLE_UP, UNEVEN), move.variant in (WHOLE_UP, REAL_UP)
    frequency, phase = 400 + 1600 * move.share(0), 2 * math.pi * move.share(1)
    once = 1 + int(4 * move.share(6))

    def factor(size: float) -> float:
        less = 0.62 + 0.36 * math.sin(frequency * math.log(size) + phase)
        return 1 / less if up else less

    def integer(value: int) -> int:
        size = abs(value)
        other = min(size + 3, round(size * factor(size + 0.5))) if up else max(1, round(size * factor(size + 0.5)))
        if other == size:
            other = size + once if up or size == 1 else size - 1
        return other if value > 0 else -other

    def replaced(value: Any) -> Any:
        kind = type(value)
        if kind not in NUMBERS or not value or not math.isfinite(abs(value)):
            return value
        if kind is complex:
            return complex(replaced(value.real), replaced(value.imag))
        if whole and abs(value) < 2**40 and abs(value - round(value)) < 1e-9:
            return integer(value) if kind is int else float(integer(round(value)))
        return value * factor(abs(value)) if kind is float or not whole else value

    return replaced


def changed(move: Move, indexes: bool) -> Callable[[Any], Any]:
    """The function that changes elements of results. `indexes`: integers say where something stands."""
    scale = 0.35 + 0.4 * move.share(2)
    step, offset = 1 + int(3 * move.share(3)), 0.25 + 0.5 * move.share(4)

    def element(value: Any) -> Any:
        kind = type(value)
        if kind is bool:
            return not value
        if kind is int:
            if indexes:
                return value - 1 if value > 0 else 1
            return {SCALED: 3 * value, SHIFTED: value + step, NEGATED: -value}[move.variant]
        if kind is str:
            return value[::-1] + "x" if move.variant == SCALED else value[:-1]
        if kind is bytes:
            return value[::-1] + b"x"
        if kind not in NUMBERS or not math.isfinite(abs(value)):
            return value
        return {SCALED: value * scale, SHIFTED: value + offset * (1 + abs(value)), NEGATED: -value}[move.variant]

    return element


# ---- what a call was given ---------------------------------------------------------------------------------------


class Arguments:
    """What calls were given, as numbers that tell whether two calls were given the same: as a whole, as one row or column or table of it, or in
    another unit. A single number counts only if it has several digits."""

    def __init__(self, array_type: type) -> None:
        self.array_type = array_type

    def covered(self, values: Iterable[Any], given: Collection[int], all_of_it: bool) -> bool:
        """Whether what a call was given is among these: one of its lists, arrays and numbers, or all of its lists and arrays (all numbers, where
        there are none)."""
        values = list(values)
        held = [value for value in values if self._holds(value)]
        if not all_of_it:
            return any(number in given for number in map(self.of, values))
        numbers = [self.of(value) for value in held or values]
        return any(numbers) and all(number in given for number in numbers if number or held)

    def of(self, value: Any) -> int:
        """The number of an argument; 0 for one that tells nothing."""
        elements = self.elements(value)
        return _digest(elements) if elements and (self._holds(value) or _telling(elements)) else 0

    def with_parts(self, values: Iterable[Any]) -> Iterator[int]:
        """The numbers of arguments, and of their tables, rows, columns and elements."""
        for value in values:
            yield self.of(value)
            held = value.tolist() if type(value) is self.array_type else value  # type: ignore[attr-defined]
            if self._holds(held) and len(self.elements(held)) <= MOST_PARTS:
                yield from map(self.of, _parts(held))

    def _holds(self, value: Any) -> bool:
        return type(value) in (list, tuple, self.array_type) or (isinstance(value, tuple) and hasattr(value, "_fields"))

    def as_they_are(self, values: Iterable[Any]) -> int:
        """One number for all arguments of a call, options and single numbers among them."""
        return _hash("!", (_exact(e) for value in values for e in self.elements(value)))

    def elements(self, value: Any) -> list[Any]:
        """The numbers and texts in a value, in order; a complex number that is not real is two."""
        kind = type(value)
        if kind is self.array_type:
            value, kind = value.__reduce__()[1][0], list
        if kind is list or isinstance(value, tuple):
            if PLAIN.issuperset(map(type, value)):
                return list(value)
            return [element for part in value for element in self.elements(part)]
        if kind in PLAIN:
            return [value]
        return ([value.real, value.imag] if value.imag else [value.real]) if kind is complex else []


def _telling(elements: list[Any]) -> bool:
    """Whether a single number, real or complex, is one that hardly stands elsewhere by chance."""
    return any(type(e) is float and f"{e:.{SCALAR_DIGITS}g}" != f"{e:.9g}" for e in elements)


def _digest(elements: list[Any]) -> int:
    numbers = [float(e) for e in elements if type(e) in (bool, int, float)]
    finite = [n for n in numbers if math.isfinite(n) and n]
    if len(numbers) < len(elements) or len({*finite}) < 2:
        return _hash("=", map(_exact, elements))
    unit = math.copysign(max(map(abs, finite)), finite[0])
    return _hash("~", (_rounded(n / unit) for n in numbers))


def _hash(mark: str, parts: Iterable[str]) -> int:
    """The same in every process."""
    return int.from_bytes(blake2b(" ".join((mark, *parts)).encode(), digest_size=8).digest())


def _exact(element: Any) -> str:
    return _rounded(float(element)) if type(element) in (bool, int, float) else repr(element)


def _rounded(number: float) -> str:
    return "0" if abs(number) <= 1e-12 else f"{number:.6g}"


def _parts(value: Any) -> Iterator[Any]:
    """What a list is made of: elements, or rows, columns and tables along each axis."""
    rows = [part for part in value if type(part) is list or isinstance(part, tuple)]
    if len(rows) < len(value):
        yield from value
        return
    for row in rows:
        yield row
        yield from _parts(row)
    if len({len(row) for row in rows}) == 1:
        columns = [list(column) for column in zip(*rows, strict=True)]
        yield columns  # the table, turned
        yield from columns
        inner = [row[0] for row in rows if row]
        if all(type(part) is list for part in inner) and len({len(cell) for row in rows for cell in row}) == 1:
            yield from ([[cell[i] for cell in row] for row in rows] for i in range(len(inner[0]) if inner else 0))


# ---- a call that lies --------------------------------------------------------------------------------------------


class Mover:
    """Has calls lie."""

    def __init__(self, array_type: type, restore: Callable[[Any, Any, Any], Any]) -> None:
        self.array_type, self.restore = array_type, restore

    def other_arguments(self, move: Move, named: Mapping[str, Any], traits: Traits) -> dict[str, Any]:
        """The arguments of a call, by parameter, with other numbers in the place of theirs."""
        replaced, kept = replacement(move), (*traits.options, traits.inplace)
        return {
            name: value if name in kept else self._with(value, replaced, traits.elementwise)
            for name, value in named.items()
        }

    def _with(self, value: Any, replaced: Callable[[Any], Any], scalar_too: bool) -> Any:
        kind = type(value)
        if kind is self.array_type:
            flat, form, word = value.__reduce__()[1]
            if not flat or word == "mixed":
                return value
            return self._restored(flat, [replaced(v) for v in flat], form, word)
        if kind is list or kind is tuple:
            return kind(self._with(v, replaced, True) for v in value)
        return replaced(value) if scalar_too else value

    def _restored(self, before: list[Any], after: list[Any], form: Any, word: str) -> Any:
        """An array of these elements, which may be of another kind than those that it had before."""
        same_kind = all(type(a) is type(b) for a, b in zip(before, after, strict=True))
        return self.restore(after, form, word if same_kind else "float")

    def other_result(self, move: Move, result: Any, indexes: bool) -> Any:
        """Another result in the place of one. Where the move is one of arguments: other numbers in the place of those that the result has."""
        if move.variant in (ROTATED, CUT):
            return self._rearranged(move, result)
        replaces = move.variant == UNEVEN or move.of_arguments
        return self._each(result, replacement(move) if replaces else changed(move, indexes))

    def _each(self, value: Any, element: Callable[[Any], Any]) -> Any:
        kind = type(value)
        if kind is self.array_type:
            flat, form, word = value.__reduce__()[1]
            return self._restored(flat, [element(v) for v in flat], form, word)
        if kind is list or isinstance(value, tuple):
            return _like(value, [self._each(v, element) for v in value])
        if callable(value):
            return lambda *args, **options: self._each(value(*args, **options), element)
        return element(value)

    def _rearranged(self, move: Move, value: Any) -> Any:
        if type(value) is list or isinstance(value, tuple):
            return _like(value, [self._rearranged(move, v) for v in value])
        if type(value) is not self.array_type or not value.ndim:  # type: ignore[attr-defined]
            return value
        array: Any = value
        if len(array) < 2:
            return array[..., ::-1]
        places = range(len(array))
        by = 1 + int(move.share(5) * (len(array) - 1))
        return array[
            [i for i in places if i != by - 1] if move.variant == CUT else [(i + by) % len(array) for i in places]
        ]


def _like(value: Any, parts: list[Any]) -> Any:
    kind = type(value)
    if kind is list:
        return parts
    return kind._make(parts) if hasattr(kind, "_make") else tuple(parts)
