"""Falsifications (deliberately wrong return values, "lies") that an answer must follow. They are derived from a key
that no candidate knows, so that no program can imitate them.

A function falsified in one of these ways changes ("moves") the answer of the reference solution, gold. The answer of a
program that does what gold does moves with it; that of a program that only calls the function, tests it or passes its
own answer through it does not. There are two families:

- `of_arguments`: the function returns the right result for other arguments. Every number in its arguments is replaced
  by another, which depends only on the number and the key. The result is plausible, has the right form and depends on
  all arguments, so that calls with other numbers differ from gold's calls. Calls on single rows agree with a call on
  the whole table.
- `of_result`: the result is changed, but only in calls with the arguments that gold passes to its function
  (`Arguments`), as a whole, by rows, or in another unit. Every other call returns the right result. In one of these
  ways, whether a boolean is flipped depends only on the arguments that it was computed from, so that calls on single
  rows or elements agree with a call on the whole table.

Covered: numbers, booleans and text, in arrays, lists and tuples.
Not covered: functions that neither take nor return any of these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np

from sebench.provenance.lies import Traits, like

NUMBERS = (int, float, complex)
PLAIN = frozenset({bool, int, float, str, bytes})
MOST_PARTS = 2000  # rows and columns of an argument with more elements are not marked
FEW = 3  # elements that identify an argument; with fewer, one could be deduced from the others
SHARE_OF_REPEATS = 0.4  # share of elements that are repeated
SHARE_OF_FLIPS = 0.6  # share of booleans that are flipped
SCALAR_DIGITS = 3  # a single number with more digits is unlikely to occur twice by chance


@dataclass(frozen=True)
class Move:
    """One way to falsify a function, for one task."""

    variant: str
    key: int

    @property
    def kind(self) -> str:
        """The variant without the number that distinguishes moves of one kind: "whole" for "whole 2"."""
        return self.variant.rstrip("0123456789 ")

    @property
    def of_arguments(self) -> bool:
        return self.kind in OF_ARGUMENTS

    @property
    def of_exact_calls(self) -> bool:
        """Whether the move applies only to calls that gold makes too, because a program could learn from other calls
        how to imitate it."""
        return self.kind in (SCALED, SHIFTED)

    def share(self, number: int) -> float:
        """Return a number between 0 and 1 that depends only on the move and on `number`."""
        return int.from_bytes(blake2b(f"{self.key}:{self.variant}:{number}".encode(), digest_size=6).digest()) / 2**48


WHOLE, REAL, WHOLE_UP, REAL_UP = "whole", "real", "whole up", "real up"
SCALED, SHIFTED, UNEVEN, ROTATED, CUT, REPEATED = "scaled", "shifted", "uneven", "rotated", "cut", "repeated"
FLIPPED = "flipped"
OF_ARGUMENTS = (WHOLE, REAL, WHOLE_UP, REAL_UP)


# The ways to lie: first those that most programs follow, then the others.
FIRST, FURTHER = (WHOLE, SCALED), (SHIFTED, REAL, ROTATED, UNEVEN, WHOLE_UP, REAL_UP, CUT, REPEATED)

# For gold alone: these are easy to imitate, but only for a program that calls gold's function on gold's arguments.
FURTHER_OF_GOLD = (*FURTHER, FLIPPED, *(f"{FLIPPED} {number}" for number in range(2, 5)))

# Two of them with other numbers, for the few functions for which the moves above prove nothing even about gold.
AGAIN = tuple(f"{variant} {number}" for number in range(2, 7) for variant in (SCALED, SHIFTED))


# ---- other numbers ----------------------------------------------------------------------------------------------


def element_replacement(move: Move) -> Callable[[Any], Any]:
    """Return the function that replaces elements of arguments. It keeps zero, signs, booleans (whose only other value
    is easy to guess) and non-finite numbers. A small change to a number, such as a rounding error, leads to a small
    change to its replacement."""
    whole, up = move.kind in (WHOLE, WHOLE_UP, UNEVEN), move.kind in (WHOLE_UP, REAL_UP)
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

    def replace(value: Any) -> Any:
        kind = type(value)
        if kind not in NUMBERS or not value or not math.isfinite(abs(value)):
            return value
        if kind is complex:
            return complex(replace(value.real), replace(value.imag))
        if whole and abs(value) < 2**40 and abs(value - round(value)) < 1e-9:
            return integer(value) if kind is int else float(integer(round(value)))
        return value * factor(abs(value)) if kind is float or not whole else value

    return replace


def result_change(move: Move, indexes: bool, call: int) -> Callable[[Any], Any]:
    """Return a function that changes one element of a result. `indexes` says whether integers are indexes. A boolean
    can only be flipped, so a random subset of booleans is flipped, a different one for each `call`."""
    scale, times = 0.35 + 0.4 * move.share(2), 2 + int(7 * move.share(7))
    step, offset = 1 + int(9 * move.share(3)), 0.25 + 0.5 * move.share(4)
    flips = Random(f"{move.key}:{move.variant} {call}")

    def element(value: Any) -> Any:
        kind = type(value)
        if kind is bool:
            return value ^ (flips.random() < SHARE_OF_FLIPS)
        if kind is int:
            if indexes:
                return value - 1 if value > 0 else 1
            return times * value if move.kind == SCALED else value + step
        if kind is str:
            return value[::-1] + "x" if move.kind == SCALED else value[:-1]
        if kind is bytes:
            return value[::-1] + b"x"
        if kind not in NUMBERS or not math.isfinite(abs(value)):
            return value
        return value * scale if move.kind == SCALED else value + offset * (1 + abs(value))

    return element


# ---- the arguments of a call -------------------------------------------------------------------------------------


class Arguments:
    """Computes marks of call arguments. Marks are hashes that show whether a call received what another call received:
    whole arguments, their rows, columns or tables, some of their elements, or the same numbers in another unit.
    Booleans count only if there are no numbers."""

    def __init__(self, array_type: type) -> None:
        self.array_type = array_type

    def marks(self, values: Sequence[Any], elementwise: bool, alternative: bool = False) -> Iterator[int]:
        """Yield the marks of a call's arguments, for `are_covered`; `alternative` says whether another function does
        the work of a core function."""
        if elementwise:
            # Of a choice by a condition, such as (True, 1, 0), a program could make every one without gold's arguments.
            if not (alternative and self._chooses(values)):
                yield from self._rows(values)
            return
        for value in values:
            held, elements = self._holds(value), self.elements(value)
            if held or _telling(elements):
                yield _digest(elements)
            if held and len(elements) <= MOST_PARTS:
                yield from _occurrences(elements)
                for part in _parts(value.tolist() if type(value) is self.array_type else value):  # type: ignore[attr-defined]
                    part_elements = self.elements(part)
                    if self._holds(part) or _telling(part_elements):
                        yield _digest(part_elements)

    def are_covered(self, values: Sequence[Any], known: Collection[int], elementwise: bool) -> bool:
        """Whether all arguments of a call have known marks. An elementwise function may get any elements that occurred
        together before. Any other function must get at least a few elements of an argument, or a single number with
        several digits."""
        if elementwise:
            row_marks = list(self._rows(values))
            return self.call(values, None) in known or (bool(row_marks) and all(mark in known for mark in row_marks))
        lists = [self.elements(value) for value in values if self._holds(value)]
        if not lists:
            telling = [elements for elements in map(self.elements, values) if _telling(elements)]
            return bool(telling) and all(_digest(elements) in known for elements in telling)
        telling = [elements for elements in lists if any(map(_is_number, elements))] or lists
        long = [elements for elements in telling if len(elements) >= FEW]  # others are options, such as a step of [1]
        return all(_digest(e) in known or _all_known(e, known) for e in long or telling)

    def is_option(self, value: Any, known: Collection[int]) -> bool:
        """Whether a list is too short to count beside longer ones, and not an argument of gold's."""
        return self._holds(value) and len(elements := self.elements(value)) < FEW and _digest(elements) not in known

    def _chooses(self, values: Sequence[Any]) -> bool:
        condition, *others = [value for value in values if value is not None] or [None]
        return len(others) > 1 and all(type(element) is bool for element in self.elements(condition))

    def sources(self, values: Sequence[Any], axis: Any, elementwise: bool) -> Callable[[int], list[int]]:
        """Return a function that maps the number of elements in a result to a hash for each of them, of the arguments
        that it was computed from: single elements, rows or columns, or everything. If a row has several results, each
        has another hash."""
        everything = self.elements(list(values))
        first = self.elements(values[0]) if values else []
        rows = self._along(values[0], axis) if axis is not None and values else []
        parts: list[list[list[Any]]] = [[everything], rows, [[element] for element in first]]
        if elementwise:
            parts.append([list(row) for row in self._columns(values)])
        hashes = {len(some): [_hash("?", sorted(map(_exact, part))) for part in some] for some in parts}

        def of(count: int) -> list[int]:
            if known := hashes.get(count):
                return known
            groups = rows if axis == -1 and rows and count % len(rows) == 0 else [everything]
            return [
                _hash("?", (str(n), *sorted(map(_exact, group))))
                for group in groups
                for n in range(count // len(groups))
            ]

        return of

    def _along(self, value: Any, axis: Any) -> list[list[Any]]:
        """Return the rows or columns of a table that a function combines; [] if this cannot be told."""
        try:
            array = _as_objects(value.tolist() if type(value) is self.array_type else value)  # type: ignore[attr-defined]
            axes = sorted(one % array.ndim for one in (axis if isinstance(axis, tuple) else (axis,)))
            last = np.moveaxis(array, axes, range(-len(axes), 0))
            rows: list[list[Any]] = last.reshape(-1, math.prod(array.shape[one] for one in axes)).tolist()
            return rows
        except (TypeError, ValueError, ZeroDivisionError):
            return []

    def _rows(self, values: Sequence[Any]) -> list[int]:
        """Return a mark for each group of elements that an elementwise function combines; the mark of a single number
        ignores its sign."""
        return [
            _mark(row[0]) if len(row) == 1 else _hash("+", sorted(map(_exact, row))) for row in self._columns(values)
        ]

    def _columns(self, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the groups of elements that an elementwise function combines, one for each element of its result."""
        held = [v.tolist() if type(v) is self.array_type else v for v in values if v is not None]  # type: ignore[attr-defined]
        try:
            columns = [flat.tolist() for flat in map(np.ravel, np.broadcast_arrays(*(_as_objects(v) for v in held)))]
        except ValueError:  # the call will fail
            return []
        return list(zip(*columns, strict=True))

    def _holds(self, value: Any) -> bool:
        return type(value) in (list, tuple, self.array_type) or (isinstance(value, tuple) and hasattr(value, "_fields"))

    def _has_many(self, value: Any) -> bool:
        return self._holds(value) and not (type(value) is self.array_type and value.ndim == 0)  # type: ignore[attr-defined]

    def results(self, result: Any) -> Iterator[int]:
        """Yield a mark for each element of a result; the mark of a number ignores its sign."""
        return (_hash("=>", (_exact(abs(e) if _is_number(e) else e),)) for e in self.elements(result))

    def whole_result(self, result: Any) -> int:
        """Return a mark that a result has in any unit."""
        return _hash("=>", (str(_digest(self.elements(result))),))

    def call(self, values: Iterable[Any], result: Any) -> int:
        """Return one mark for a call, from its arguments and its result. Options that do not affect the result do not
        count, nor do arguments that are all single numbers if the result has many: `arange(0, n)` is `arange(n)`."""
        elements, arguments = self.elements(result), list(values)
        if len(elements) >= FEW and not any(map(self._has_many, arguments)):
            arguments = []
        return _hash("!", map(_exact, (*(e for value in arguments for e in self.elements(value)), *elements)))

    def elements(self, value: Any) -> list[Any]:
        """Return the numbers and strings in a value, in order; a complex number that is not real counts as two."""
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
    """Whether a single number, real or complex, is unlikely to occur elsewhere by chance."""
    return any(type(e) is float and f"{e:.{SCALAR_DIGITS}g}" != f"{e:.9g}" for e in elements)


def _digest(elements: list[Any]) -> int:
    numbers = [float(e) for e in elements if type(e) in (bool, int, float)]
    finite = [n for n in numbers if math.isfinite(n) and n]
    if len(numbers) < len(elements) or len({*finite}) < 2:
        return _hash("=", map(_exact, elements))
    unit = math.copysign(max(map(abs, finite)), finite[0])
    return _hash("~", (_round(n / unit) for n in numbers))


def _occurrences(elements: list[Any]) -> Iterator[int]:
    """Yield a mark for each non-zero number, ignoring its sign, and another mark for each repetition of it."""
    times = Counter[int]()
    for element in elements:
        if _is_number(element) and element:
            mark = _mark(element)
            yield mark + times[mark]
            times[mark] += 1


def _as_objects(value: Any) -> Any:
    array = np.array(value)
    return array if array.dtype.kind in "biufcUS" else np.array(value, dtype=object)


def _mark(element: Any) -> int:
    return _hash("#", (_exact(abs(element) if _is_number(element) else element),))


def _all_known(elements: list[Any], known: Collection[int]) -> bool:
    marks = list(_occurrences(elements))
    return len(marks) >= FEW and all(mark in known for mark in marks)


def _is_number(element: Any) -> bool:
    return type(element) in (int, float)


def _hash(mark: str, parts: Iterable[str]) -> int:
    """Return a hash that is the same in every process."""
    return int.from_bytes(blake2b(" ".join((mark, *parts)).encode(), digest_size=8).digest())


def _exact(element: Any) -> str:
    return _round(float(element)) if type(element) in (bool, int, float) else repr(element)


def _round(number: float) -> str:
    return "0" if abs(number) <= 1e-12 else f"{number:.6g}"


def _parts(value: Any) -> Iterator[Any]:
    """Yield the parts of a list: its elements, or its rows, columns and tables along each axis."""
    rows = [part for part in value if type(part) is list or isinstance(part, tuple)]
    if len(rows) < len(value):
        yield from value
        return
    for row in rows:
        yield row
        yield from _parts(row)
    if len({len(row) for row in rows}) == 1:
        columns = [list(column) for column in zip(*rows, strict=True)]
        yield columns  # the transposed table
        yield from columns
        inner = [row[0] for row in rows if row]
        if all(type(part) is list for part in inner) and len({len(cell) for row in rows for cell in row}) == 1:
            yield from ([[cell[i] for cell in row] for row in rows] for i in range(len(inner[0]) if inner else 0))


# ---- a call that lies --------------------------------------------------------------------------------------------


class Mover:
    """Falsifies calls."""

    def __init__(self, array_type: type, restore: Callable[[Any, Any, Any], Any]) -> None:
        self.array_type, self.restore = array_type, restore

    def other_arguments(
        self,
        move: Move,
        named: Mapping[str, Any],
        traits: Traits,
        marks: Collection[int] | None = None,
        options: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return the arguments of a call, by parameter, with numbers replaced: all numbers, or only those whose marks
        are in `marks`. Options stay the same, among them those in `options`."""
        other, kept = element_replacement(move), (*traits.options, traits.inplace, *options)

        def replace(element: Any) -> Any:
            return other(element) if marks is None or _mark(element) in marks else element

        return {
            name: value if name in kept else self._replace(value, replace, traits.elementwise)
            for name, value in named.items()
        }

    def _replace(self, value: Any, replaced: Callable[[Any], Any], scalar_too: bool) -> Any:
        kind = type(value)
        if kind is self.array_type:
            flat, form, word = value.__reduce__()[1]
            if not flat or word == "mixed":
                return value
            return self._rebuild(flat, [replaced(v) for v in flat], form, word)
        if kind is list or kind is tuple:
            return kind(self._replace(v, replaced, True) for v in value)
        return replaced(value) if scalar_too else value

    def _rebuild(self, before: list[Any], after: list[Any], form: Any, word: str) -> Any:
        """Return an array of the elements in `after`; its type may differ from the original's."""
        same_kind = all(type(a) is type(b) for a, b in zip(before, after, strict=True))
        return self.restore(after, form, word if same_kind else "float")

    def other_result(self, move: Move, result: Any, indexes: bool, call: int = 0) -> Any:
        """Return a changed result for a call. A move that normally changes arguments replaces the numbers in the
        result."""
        if move.kind in (ROTATED, CUT, REPEATED):
            return self._rearrange(move, result)
        replaces = move.kind == UNEVEN or move.of_arguments
        return self._map_elements(result, element_replacement(move) if replaces else result_change(move, indexes, call))

    def flip(self, move: Move, result: Any, sources: Iterator[int]) -> Any:
        """Return a result in which some booleans are flipped, depending on the source of each element."""

        def element(value: Any) -> Any:
            flipped = move.share(next(sources)) < SHARE_OF_FLIPS
            return not value if type(value) is bool and flipped else value

        return self._map_elements(result, element)

    def _map_elements(self, value: Any, element: Callable[[Any], Any]) -> Any:
        kind = type(value)
        if kind is self.array_type:
            flat, form, word = value.__reduce__()[1]
            return self._rebuild(flat, [element(v) for v in flat], form, word)
        if kind is list or isinstance(value, tuple):
            return like(value, [self._map_elements(v, element) for v in value])
        if callable(value):
            return lambda *args, **options: self._map_elements(value(*args, **options), element)
        return element(value)

    def _rearrange(self, move: Move, value: Any) -> Any:
        if type(value) is list or isinstance(value, tuple):
            return like(value, [self._rearrange(move, v) for v in value])
        if type(value) is not self.array_type or not value.ndim:  # type: ignore[attr-defined]
            return value
        array: Any = value
        if len(array) < 2:
            return array[..., ::-1]
        places = range(len(array))
        if move.kind == REPEATED:  # some elements repeat the one before them
            return array[[i - 1 if i and move.share(10 + i) < SHARE_OF_REPEATS else i for i in places]]
        by = 1 + int(move.share(5) * (len(array) - 1))
        return array[
            [i for i in places if i != by - 1] if move.kind == CUT else [(i + by) % len(array) for i in places]
        ]
