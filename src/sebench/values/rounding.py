"""Rounds floats to the digits that every machine agrees on.

The last digits of a result depend on the processor, its vector instructions, the BLAS and the C library. The answers
stored in a world are rounded, so that the same seed produces the same bytes everywhere. The rounding is far below the
judge's tolerance (records.Task: 1e-6 relative, 1e-9 absolute), so a right answer stays right.

- A float keeps 9 significant digits, and no more than 10 decimals: a number that the judge cannot distinguish from zero
  becomes zero, and so does -0.0.
- A complex number keeps as many decimals in both parts as its larger part has.
- Booleans, integers and text never change, nor do nan and infinity.

Not covered: answers that depend on the last digit, such as the position of the greater of two mathematically equal
sums, or the floor of 0.1 * 30. A task must not ask for them. Rounding has boundaries too, chosen so that typical
results are not near one (see `TIE`).
"""

from __future__ import annotations

from typing import Any

DIGITS = 9
DECIMALS = 10
# A number half-way between two results is rounded up, and so is one that is below it only in its last digits:
# 12345678.25 and 12345678.249999998 may be the same result on two machines.
TIE = 1e-12
LARGEST = 1e300  # the only larger results are the limits of floats, which are exact


def round_portably(value: Any) -> Any:
    """Return plain data with its floats rounded to the digits that every machine agrees on."""
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
    """Round a number to the digits kept for a number of this size."""
    if value == 0 or not size < LARGEST:  # nan is not less either
        return value + 0.0
    exponent = int(f"{size:e}".rpartition("e")[2])  # of the rounded size: 9.999999999999998 is 10
    return round(value * (1 + TIE), min(DECIMALS, DIGITS - 1 - exponent)) + 0.0
