"""Replacements for backend functions that a package cannot use as they are.

Some of them return uninitialized memory, some print arrays in the backend's own format, and some never return, or write
to standard output, if the input has nan, infinity or huge numbers. A replacement returns the same result whenever it is
called with the same arguments, or raises an error, whose text `messages.py` turns into the package's own words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NOT_FINITE = "must not contain infs or NaNs"
TOO_LARGE = "a power is too large"
GIANT = 2**53  # counting values beyond this needs more memory than there is, which the backend does not notice


def replaced(pick: Callable[[str], Any], wrap: Callable[[Any], Any]) -> dict[str, Any]:
    """Return every replacement, by the digest of the function that it replaces."""
    return {**_texts(pick, wrap), **_memory(pick), **_numbers(pick)}


def _texts(pick: Callable[[str], Any], wrap: Callable[[Any], Any]) -> dict[str, Any]:
    """Return functions that write an array as text, in the format of the array type itself."""
    return {
        "@array_repr": lambda held: repr(wrap(pick("@array")(held))),
        "@array_str": lambda held: str(wrap(pick("@array")(held))),
        "@array2string": lambda held: str(wrap(pick("@array")(held))),
    }


def _memory(pick: Callable[[str], Any]) -> dict[str, Any]:
    """Return replacements for functions that would return uninitialized memory."""
    return {
        "@empty": pick("@zeros"),
        "@empty_like": lambda prototype, *args, **options: pick("@zeros_like")(prototype, *args, **options),
        "@pad": lambda array, pad_width, mode="constant", **options: pick("@pad")(
            array, pad_width, "constant" if mode == "empty" else mode, **options
        ),
    }


def _numbers(pick: Callable[[str], Any]) -> dict[str, Any]:
    """Return replacements for computations that crash or never return on some numbers."""

    def all_finite(held: Any) -> bool:
        return held.dtype.kind not in "fc" or bool(pick("@isfinite")(held).all())

    def count(x: Any, **options: Any) -> Any:
        held = pick("@asarray")(x)
        if held.dtype.kind in "iu" and held.size and max(abs(int(held.min())), abs(int(held.max()))) > GIANT:
            raise ValueError("Maximum allowed")
        return pick("@bincount")(x, **options)

    def fit(x: Any, y: Any, degree: Any, **options: Any) -> Any:
        points, weights = pick("@asarray")(x), pick("@asarray")(options.get("w", 1.0))
        if points.dtype.kind in "iufc" and points.size and weights.size:
            powers = abs(points * 1.0) ** max(int(degree), 0) * abs(weights).max()
            if not all_finite(powers):
                raise ValueError(TOO_LARGE)
        return pick("@polyfit")(x, y, degree, **options)

    return {"@bincount": count, "@polyfit": fit, **_by_singular_values(pick, all_finite)}


def _by_singular_values(pick: Callable[[str], Any], all_finite: Callable[[Any], bool]) -> dict[str, Any]:
    """Return replacements for the norms and the condition number.

    Where these need singular values (order 2, -2 or 'nuc'), they raise ValueError for input that is not finite, on
    which the backend may never return.
    """

    def of_any(x: Any, **options: Any) -> Any:
        held, axis = pick("@asarray")(x), options.get("axis")
        of_matrices = held.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2
        if of_matrices:
            refuse(held, options.get("ord"))
        return pick("@linalg.norm")(x, **options)

    def of_matrix(x: Any, **options: Any) -> Any:
        refuse(pick("@asarray")(x), options.get("ord"))
        return pick("@linalg.matrix_norm")(x, **options)

    def condition(x: Any, **options: Any) -> Any:
        refuse(pick("@asarray")(x), 2 if options.get("p") is None else options["p"])
        return pick("@linalg.cond")(x, **options)

    def refuse(held: Any, choice: Any) -> None:
        chosen = choice.tolist() if hasattr(choice, "tolist") else choice
        if chosen in (2, -2, "nuc") and not all_finite(held):
            raise ValueError(NOT_FINITE)

    return {"@linalg.norm": of_any, "@linalg.matrix_norm": of_matrix, "@linalg.cond": condition}
