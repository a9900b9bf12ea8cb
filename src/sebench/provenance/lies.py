"""Creates wrong values: finite, of the same shape and type as the right ones, and a function of them.

A falsified function returns such a wrong value (a "lie"): f is replaced by g(f(...)), where g maps values to values. So
the same call gets the same lie, equal elements get equal lies at any position, and f([x])[0] agrees with f([x, y])[0]:
a program that compares calls with each other finds nothing wrong.

There are several variants, because each of them leaves some answers unchanged: a ranking survives anything that keeps
the order, a yes or no survives half of all changes, a count of changes survives anything that keeps different values
different, and a loop that waits for zero needs a lie that keeps zero. All but the last variant keep signs; the last
maps a number and its negative to the same value. Two kinds of function have special lies: one that rearranges its
argument returns another arrangement, so that a view stays a view, and one whose result length depends on values may
return one element fewer, or only half of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

SHIFTED, MIRRORED, SCALED, FOLDED, SHORTER, HALVED = range(6)
LENGTHS = (SHORTER, HALVED)  # variants that change the number of elements, if that depends on the arguments
DISCREET = (SHIFTED, MIRRORED, SCALED)  # variants that keep the signs of numbers and the range of integers


@dataclass(frozen=True)
class Traits:
    """What must be known about a function to falsify it."""

    inplace: str = ""  # the parameter that it changes
    rearranges: bool = False  # the result has the elements of an argument in another shape or order, often as a view
    varies: bool = False  # the length of the result depends on the values of the arguments
    indexes: bool = False  # integers in the result are positions, so they have a limited range
    receives: str = "out"  # the parameter for an output array
    options: frozenset[str] = frozenset()  # parameters that choose what it does (an axis, a shape) and contain no data
    elementwise: bool = False  # it works element by element, so a single number is data too
    words: Mapping[str, bool] = field(default_factory=dict)  # parameters with forged option words; True: only words
    axis: str = ""  # the parameter for the axis along which it works
    arranges: bool = False  # it may return the elements of its argument in order: its work is another shape


@dataclass(frozen=True)
class Liar:
    """Turns return values of a package's functions into wrong ones."""

    array_type: type
    restore: Callable[[Any, Any, Any], Any]  # (flat elements, shape, kind) -> array

    def lie(self, value: Any, traits: Traits, variant: int) -> Any:
        """Return a wrong value in place of a right one. A value with nothing to change is returned unchanged."""
        if variant in LENGTHS:
            return self._shorten(value, variant) if traits.varies else value
        if traits.rearranges and variant in (SHIFTED, MIRRORED):
            return self._rearrange(value, variant)
        return self._make_wrong(value, variant, traits.indexes)

    def _make_wrong(self, value: Any, variant: int, indexes: bool = False) -> Any:
        kind = type(value)
        if kind is self.array_type:
            flat, shape, word = value.__reduce__()[1]
            return self.restore(self._elements(flat, variant, indexes), shape, word)
        if isinstance(value, tuple):
            return like(value, [self._make_wrong(v, variant, indexes) for v in value])
        if kind is list:
            return [self._make_wrong(v, variant, indexes) for v in value]
        if callable(value):
            return lambda *args, **options: self._make_wrong(value(*args, **options), variant)
        return self._elements([value], variant, indexes)[0]

    def _elements(self, flat: list[Any], variant: int, indexes: bool) -> list[Any]:
        numbers = [v for v in flat if type(v) in (int, float) and math.isfinite(v)]
        low, high = (min(numbers), max(numbers)) if numbers else (0, 0)
        return [self._element(v, variant, low, high, indexes) for v in flat]

    def _element(self, value: Any, variant: int, low: float, high: float, indexes: bool) -> Any:
        kind = type(value)
        if kind is float:
            return _wrong_float(value, variant, low, high)
        if kind is bool:
            return (not value, True, False, not value)[variant]
        if kind is int:
            return _wrong_int(value, variant, int(low), int(high), indexes)
        if kind is complex:
            return (
                value * 0.625 + (0.1875 + 0.25j),
                value * 1j + 0.5,
                value * (0.5 + _noise(value)),
                -abs(value) - 0.25j,
            )[variant]
        if kind is str:
            return (f"{value[::-1]}x", "".join(map(_next, value)) or "y", value[:-1], value + value)[variant]
        if kind is bytes:
            return (value[::-1] + b"x", value + b"y", value[:-1], value + value)[variant]
        return self._make_wrong(value, variant) if kind is self.array_type or kind in (list, tuple) else value

    def _rearrange(self, value: Any, variant: int) -> Any:
        """Return the same elements with the first (or last) axis reversed: a view stays a view."""
        if isinstance(value, list | tuple):
            return like(value, [self._rearrange(v, variant) for v in value])
        if type(value) is self.array_type and value.ndim and value.size > 1:  # type: ignore[attr-defined]
            return value[::-1] if variant == SHIFTED else value[..., ::-1]  # type: ignore[index]
        return self._make_wrong(value, variant)

    def _shorten(self, value: Any, variant: int) -> Any:
        if type(value) is self.array_type and value.ndim and len(value) > 1:  # type: ignore[attr-defined, arg-type]
            return value[:-1] if variant == SHORTER else value[: len(value) // 2]  # type: ignore[index, arg-type]
        if isinstance(value, list | tuple):
            return like(value, [self._shorten(v, variant) for v in value])
        return value


def like(value: Any, parts: list[Any]) -> Any:
    """Return a list, tuple or named result with these parts, of the same type as `value`."""
    kind = type(value)
    if kind is list:
        return parts
    return kind._make(parts) if hasattr(kind, "_make") else tuple(parts)


def _wrong_float(value: float, variant: int, low: float, high: float) -> float:
    if not math.isfinite(value):
        return 3.25 if math.isnan(value) else math.copysign(4.5, value)
    if variant == MIRRORED and low != high:
        return low + high - value  # the same range in another order
    if variant == SCALED:
        return value * (0.25 + 1.5 * _noise(value))
    return -0.625 * abs(value) - 0.1875 if variant == FOLDED else value * 0.625 + math.copysign(0.1875, value)


def _wrong_int(value: int, variant: int, low: int, high: int, indexes: bool) -> int:
    if variant in (SHIFTED, MIRRORED) and low != high:  # what was an index stays one
        return low + high - value if variant == SHIFTED else low + (value - low + 1) % (high - low + 1)
    if variant == MIRRORED and not indexes and -40 < value < 60:  # the smallest integer dtypes end at 127
        return 2 * value + (1 if value >= 0 else -1)
    if variant == SCALED:
        return value // 2 if value > 1 else -(-value // 2) if value < -1 else value
    if variant == FOLDED:
        return -7 - 3 * abs(value)
    return value - 1 if value > 0 else value + 1


def _next(character: str) -> str:
    """Return the next character; letters and digits remain letters and digits."""
    return chr(ord(character) + 1) if character.isalnum() else character


def _noise(value: complex) -> float:
    """Return a number between 0 and 1 that depends only on the value. Hashes of numbers are the same in every
    process."""
    return (hash(value) * 0x9E3779B97F4A7C15 >> 17 & 0xFFFF) / 0x10000
