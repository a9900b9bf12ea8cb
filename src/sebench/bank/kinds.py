"""The vocabulary of inputs: what a task's parameters are, and how a case is drawn from a seed.

    def busiest(visits: Matrix(Int(0, 90), "shops", 7)): ...

Elements (`Int`, `Float`, `Bool`, `Complex`, `Word`, `Choice`, `Missing`) can be parameters themselves or fill
containers (`Vector`, `Matrix`, `Cube`, `Ragged`). `Probabilities`, `Permutation`, `Symmetric`, `PositiveDefinite`,
`Invertible`, `Folded`, `Either` and `Echo` do what their names say. A length is a number, a range `(low, high)`, or a
name that several parameters of the task share.

Every case has a mood, which all its parameters follow: that is how edge cases arise (`Mood`). Values are plain Python
and come from `random.Random` alone, so they are the same with every NumPy and on every machine.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from math import isqrt, prod
from typing import Any

Length = int | tuple[int, int] | str
Bound = int | float | str

SHARED = (2, 5)  # the default range of a shared length
# A list of a large case may be this many times as long as usual, up to this length, unless it is longer anyway.
STRETCH, LONGEST = 4, 60
TRIES = 400  # draws before a kind gives up


class Mood(StrEnum):
    """What is special about a case."""

    PLAIN = "plain"
    SMALL = "small"  # every length is the minimum
    TIES = "ties"  # few different values
    ZEROS = "zeros"  # many zeros, where zero is allowed
    EXTREMES = "extremes"  # the lowest and highest values
    CONSTANT = "constant"  # one value everywhere
    LARGE = "large"  # lists longer than those of the other moods


class Impossible(Exception):
    """A kind cannot be drawn as written; the message says why."""


@dataclass
class Draw:
    """One case being drawn: the generator, the mood, and the lengths that its parameters share."""

    rng: random.Random
    mood: Mood
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)  # of the parameters drawn so far

    def length(self, length: Length) -> int:
        if isinstance(length, int):
            return length
        if isinstance(length, str):
            if length not in self.lengths:
                self.lengths[length] = self.length(self.ranges.get(length, SHARED))
            return self.lengths[length]
        low, high = length
        if self.mood is Mood.LARGE:
            return self.rng.randint(high, max(high, min(STRETCH * high, LONGEST)))
        return low if self.mood is Mood.SMALL else self.rng.randint(low, high)

    def fill(self, inputs: Mapping[str, InputKind]) -> Mapping[str, Any]:
        """Draw all parameters of a task, in order. Raises Impossible whatever goes wrong, since a kind may come from a
        stranger.
        """
        for name, kind in inputs.items():
            try:
                self.values[name] = kind.draw(self)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise Impossible(f"`{name}`: {type(error).__name__}: {error}") from None
        return self.values

    def bound(self, limit: Bound) -> float:
        """A limit of a number: a number, or a shared length ("n", "n-1")."""
        if not isinstance(limit, str):
            return limit
        name, minus, less = limit.partition("-")
        return self.length(name.strip()) - (int(less) if minus else 0)


class InputKind(ABC):
    """How one parameter is drawn."""

    @abstractmethod
    def draw(self, case: Draw) -> Any:
        """A fresh plain value."""


class Element(InputKind):
    """A single value. As an element of a container it follows the mood of the case."""

    @abstractmethod
    def plain(self, case: Draw) -> Any:
        """Any value of this kind."""

    def extremes(self, case: Draw) -> tuple[Any, ...]:
        """The lowest and highest values; () if there are none."""
        return ()

    def zero(self, case: Draw) -> Any:
        """Zero in this kind; None if it is not allowed."""
        return None

    def draw(self, case: Draw) -> Any:
        if case.mood is Mood.EXTREMES and (edges := self.extremes(case)):
            return case.rng.choice(edges)
        if case.mood is Mood.ZEROS and (zero := self.zero(case)) is not None:
            return zero
        return self.plain(case)

    def many(self, case: Draw, count: int) -> list[Any]:
        """`count` values in the mood of the case."""
        rng = case.rng
        if case.mood is Mood.CONSTANT:
            return [self.plain(case)] * count
        if case.mood is Mood.TIES:
            few = [self.plain(case) for _ in range(max(2, count // 2))]
            return [rng.choice(few) for _ in range(count)]
        values = [self.plain(case) for _ in range(count)]
        if case.mood is Mood.EXTREMES and (edges := self.extremes(case)):
            return [rng.choice(edges) if rng.random() < 0.6 else v for v in values]
        if case.mood is Mood.ZEROS and (zero := self.zero(case)) is not None:
            return [zero if rng.random() < 0.5 else v for v in values]
        return values


@dataclass(frozen=True)
class Int(Element):
    """A whole number from `low` to `high`, both included. A bound may name a shared length: `Int(0, "n-1")` is a
    position.
    """

    low: Bound = -9
    high: Bound = 9
    but: tuple[int, ...] = ()  # excluded values

    def plain(self, case: Draw) -> int:
        low, high = int(case.bound(self.low)), int(case.bound(self.high))
        if low > high:
            raise Impossible(f"no whole number from {low} to {high}")
        for _ in range(TRIES):
            if (value := case.rng.randint(low, high)) not in self.but:
                return value
        raise Impossible(f"no whole number from {low} to {high} but {self.but}")

    def extremes(self, case: Draw) -> tuple[int, ...]:
        ends = int(case.bound(self.low)), int(case.bound(self.high))
        return tuple(v for v in ends if v not in self.but)

    def zero(self, case: Draw) -> int | None:
        return 0 if case.bound(self.low) <= 0 <= case.bound(self.high) and 0 not in self.but else None


@dataclass(frozen=True)
class Float(Element):
    """A number with few decimals."""

    low: Bound = -9.0
    high: Bound = 9.0
    decimals: int = 1
    nonzero: bool = False

    def plain(self, case: Draw) -> float:
        for _ in range(TRIES):
            value = round(case.rng.uniform(case.bound(self.low), case.bound(self.high)), self.decimals) + 0.0
            if value or not self.nonzero:
                return value
        raise Impossible(f"no number from {self.low} to {self.high} but zero")

    def extremes(self, case: Draw) -> tuple[float, ...]:
        ends = float(case.bound(self.low)), float(case.bound(self.high))
        return tuple(v for v in ends if v or not self.nonzero)

    def zero(self, case: Draw) -> float | None:
        return 0.0 if case.bound(self.low) <= 0 <= case.bound(self.high) and not self.nonzero else None


@dataclass(frozen=True)
class Bool(Element):
    """True or False."""

    def plain(self, case: Draw) -> bool:
        return case.rng.random() < 0.5

    def zero(self, case: Draw) -> bool:
        return False


@dataclass(frozen=True)
class Complex(Element):
    """A complex number; both parts lie between `low` and `high`."""

    low: float = -5.0
    high: float = 5.0
    decimals: int = 1

    def plain(self, case: Draw) -> complex:
        part = Float(self.low, self.high, self.decimals)
        return complex(part.plain(case), part.plain(case))

    def zero(self, case: Draw) -> complex | None:
        return 0j if self.low <= 0 <= self.high else None


WORDS = (
    "amber birch cedar delta ember fjord grove heron islet jasper kelp lotus maple nectar onyx pearl quartz "
    "raven sable tulip "
    "umber violet willow yarrow zephyr"
).split()


@dataclass(frozen=True)
class Word(Element):
    """A short lower-case word."""

    words: tuple[str, ...] = tuple(WORDS)

    def plain(self, case: Draw) -> str:
        return case.rng.choice(self.words)


class Choice(Element):
    """One of the given values."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def plain(self, case: Draw) -> Any:
        return case.rng.choice(self.values)

    def __repr__(self) -> str:
        return f"Choice{self.values!r}"


@dataclass(frozen=True)
class Missing(Element):
    """An element that is missing in about a quarter of the draws: nan, or another marker."""

    element: Element
    marker: float = float("nan")

    def plain(self, case: Draw) -> Any:
        return self.marker if case.rng.random() < 0.25 else self.element.plain(case)

    def extremes(self, case: Draw) -> tuple[Any, ...]:
        return (*self.element.extremes(case), self.marker)

    def zero(self, case: Draw) -> Any:
        return self.element.zero(case)

    def many(self, case: Draw, count: int) -> list[Any]:
        values = super().many(case, count)
        if count and all(v is self.marker for v in values):
            values[case.rng.randrange(count)] = self.element.plain(case)
        return values


@dataclass(frozen=True)
class Vector(InputKind):
    """A list of elements. `unique` and `sorted` (ascending) hold in every mood."""

    element: Element = Int()
    length: Length = (1, 7)
    unique: bool = False
    sorted: bool = False

    def draw(self, case: Draw) -> list[Any]:
        count = case.length(self.length)
        values = self.distinct(case, count) if self.unique else self.element.many(case, count)
        return sorted(values) if self.sorted else values

    def distinct(self, case: Draw, count: int) -> list[Any]:
        values: dict[Any, None] = {}
        for value in [*self.element.many(case, count), *(self.element.plain(case) for _ in range(TRIES))]:
            if len(values) < count:
                values.setdefault(value)
        if len(values) < count:
            raise Impossible(f"no {count} different values of {self.element}")
        return list(values)


@dataclass(frozen=True)
class Matrix(InputKind):
    """A list of rows of the same length."""

    element: Element = Int()
    rows: Length = (1, 4)
    cols: Length = (1, 4)

    def draw(self, case: Draw) -> list[list[Any]]:
        rows, cols = case.length(self.rows), case.length(self.cols)
        values = self.element.many(case, rows * cols)
        return [values[i * cols : (i + 1) * cols] for i in range(rows)]


@dataclass(frozen=True)
class Cube(InputKind):
    """A list of matrices of the same shape."""

    element: Element = Int()
    depth: Length = (1, 3)
    rows: Length = (1, 3)
    cols: Length = (1, 3)

    def draw(self, case: Draw) -> list[list[list[Any]]]:
        rows, cols = case.length(self.rows), case.length(self.cols)
        layer = Matrix(self.element, rows, cols)
        return [layer.draw(case) for _ in range(case.length(self.depth))]


@dataclass(frozen=True)
class Ragged(InputKind):
    """A list of lists of different lengths."""

    element: Element = Int()
    rows: Length = (1, 4)
    length: tuple[int, int] = (1, 4)

    def draw(self, case: Draw) -> list[list[Any]]:
        return [self.element.many(case, case.length(self.length)) for _ in range(case.length(self.rows))]


@dataclass(frozen=True)
class Probabilities(InputKind):
    """Numbers from 0 to 1 with two decimals whose sum is 1."""

    length: Length = (2, 5)

    def draw(self, case: Draw) -> list[float]:
        count = case.length(self.length)
        cuts = sorted(case.rng.randint(0, 100) for _ in range(count - 1))
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]
        return [part / 100 for part in parts]


@dataclass(frozen=True)
class Permutation(InputKind):
    """The numbers 0 to n-1 in some order."""

    length: Length = (2, 6)

    def draw(self, case: Draw) -> list[int]:
        order = list(range(case.length(self.length)))
        case.rng.shuffle(order)
        return order


@dataclass(frozen=True)
class Symmetric(InputKind):
    """A square matrix that equals its mirror image."""

    element: Element = Int()
    size: Length = (2, 4)

    def draw(self, case: Draw) -> list[list[Any]]:
        rows = Matrix(self.element, n := case.length(self.size), n).draw(case)
        return [[rows[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]


@dataclass(frozen=True)
class PositiveDefinite(InputKind):
    """A symmetric matrix of whole numbers with positive eigenvalues: its diagonal dominates."""

    size: Length = (2, 4)

    def draw(self, case: Draw) -> list[list[int]]:
        rows: list[list[int]] = Symmetric(Int(-3, 3), self.size).draw(case)
        for i, row in enumerate(rows):
            row[i] = sum(abs(v) for j, v in enumerate(row) if j != i) + case.rng.randint(1, 5)
        return rows


@dataclass(frozen=True)
class Invertible(InputKind):
    """A square matrix of whole numbers that is far from singular; symmetric only by chance."""

    size: Length = (2, 4)

    def draw(self, case: Draw) -> list[list[int]]:
        rows = Matrix(Int(-3, 3), n := case.length(self.size), n).draw(case)
        for i, row in enumerate(rows):
            weight = sum(abs(v) for j, v in enumerate(row) if j != i) + case.rng.randint(1, 4)
            row[i] = case.rng.choice((-1, 1)) * weight
        return rows


class Either(InputKind):
    """A value of one of several kinds, such as data of different depths. The edge moods cycle through the kinds, so
    each kind occurs in every world.
    """

    def __init__(self, *kinds: InputKind) -> None:
        self.kinds = kinds

    def draw(self, case: Draw) -> Any:
        edge = case.mood is not Mood.PLAIN
        kind = self.kinds[list(Mood).index(case.mood) % len(self.kinds)] if edge else case.rng.choice(self.kinds)
        return kind.draw(case)


@dataclass(frozen=True)
class Echo(InputKind):
    """In about half of the cases the value of an earlier parameter, or `part` of it; otherwise a value of its own
    kind."""

    of: str
    kind: InputKind
    part: Callable[[Any], Any] = deepcopy

    def draw(self, case: Draw) -> Any:
        own = self.kind.draw(case)
        return deepcopy(self.part(case.values[self.of])) if case.rng.random() < 0.5 else own


@dataclass(frozen=True)
class Listed(InputKind):
    """A parameter of a task whose inputs are listed (`Definition.rows`): nothing is drawn."""

    def draw(self, case: Draw) -> Any:
        raise Impossible("the inputs of this task are listed, not drawn")


@dataclass(frozen=True)
class Folded(InputKind):
    """The elements of an invertible matrix, row by row, in nested lists of another shape."""

    shape: tuple[int, ...]

    def draw(self, case: Draw) -> list[Any]:
        values: list[Any] = [value for row in Invertible(isqrt(prod(self.shape))).draw(case) for value in row]
        for length in reversed(self.shape[1:]):
            values = [values[i : i + length] for i in range(0, len(values), length)]
        return values
