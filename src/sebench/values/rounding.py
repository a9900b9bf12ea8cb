"""What every machine agrees on: floats without the digits that differ between processors.

The last digits of a result depend on the processor, its vector instructions, the BLAS and the C library. The answers that a world
writes down are rounded, so that the same seed gives the same bytes everywhere. The rounding stays far below what the judge forgives
(records.Task: 1e-6 relative, 1e-9 absolute), so an answer that was right stays right.

- A float keeps 9 significant digits, and no more than 10 decimals: what the judge cannot tell from zero is zero, and so is -0.0.
- A complex number keeps as many decimals in both parts as its larger part has.
- Truth values, integers and text are never touched, nor are nan and infinity.

Not covered: answers that turn on the last digit, such as the place of the greatest of two equal sums, or the floor of 0.1 * 30. A
task must not ask for them. Rounding has its edges too; they lie where results that a person would choose do not fall (see `TIE`).
"""

from __future__ import annotations

from typing import Any

DIGITS = 9
DECIMALS = 10
# What lies half-way between two results goes up, and so does what is only last digits below it: 12345678.25 and 12345678.249999998 are
# the same number on two machines.
TIE = 1e-12
LARGEST = 1e300  # beyond it are only the limits of floats, which are exact


def round_portably(value: Any) -> Any:
    """Plain data with its floats rounded to what every machine agrees on."""
    kind = type(value)
    if kind is float:
        return _round(value, abs(value))
    if kind is complex:
        size = max(abs(value.real), abs(value.imag))
        return complex(_round(value.real, size), _round(value.imag, size))
    if kind in (list, tuple):
        return kind(map(round_portably, value))
    if kind is set:  # a set is written in an order that depends on how it was filled
        return {*sorted(map(round_portably, value), key=repr)}
    if kind is dict:
        return {round_portably(key): round_portably(part) for key, part in value.items()}
    return value


def _round(value: float, size: float) -> float:
    """A number rounded to the digits that a number of this size keeps."""
    if value == 0 or not size < LARGEST:  # nan is not less either
        return value + 0.0
    exponent = int(f"{size:e}".rpartition("e")[2])  # of the rounded size: 9.999999999999998 is 10
    return round(value * (1 + TIE), min(DECIMALS, DIGITS - 1 - exponent)) + 0.0
