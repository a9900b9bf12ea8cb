"""Functions of the backend that a package does not use as they are, by digest, and what it runs instead.

Some give what memory held before, some print arrays in the backend's own way, some never end or write to standard
output when they meet nan, infinity or giants. What runs instead gives the same for the same call, or raises; the texts
of the errors raised here are for `messages.py`, which says them in the package's words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NOT_FINITE = "must not contain infs or NaNs"
TOO_LARGE = "a power is too large"
GIANT = 2**53  # counting up to more than this asks for more memory than there is, and the backend does not notice


def replaced(pick: Callable[[str], Any], wrap: Callable[[Any], Any]) -> dict[str, Any]:
    """Every replacement by the digest of what it stands for."""
    return {**_texts(pick, wrap), **_memory(pick), **_numbers(pick)}


def _texts(pick: Callable[[str], Any], wrap: Callable[[Any], Any]) -> dict[str, Any]:
    """Arrays as text: as the array type itself prints them."""
    return {
        "@array_repr": lambda held: repr(wrap(pick("@array")(held))),
        "@array_str": lambda held: str(wrap(pick("@array")(held))),
        "@array2string": lambda held: str(wrap(pick("@array")(held))),
    }


def _memory(pick: Callable[[str], Any]) -> dict[str, Any]:
    """What would show whatever memory held before."""
    return {
        "@empty": pick("@zeros"),
        "@empty_like": lambda prototype, *args, **options: pick("@zeros_like")(prototype, *args, **options),
        "@pad": lambda array, pad_width, mode="constant", **options: pick("@pad")(
            array, pad_width, "constant" if mode == "empty" else mode, **options
        ),
    }


def _numbers(pick: Callable[[str], Any]) -> dict[str, Any]:
    """Computations that lose their mind over some numbers."""

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
    """Norms and the like, of which only some choices look for singular values: a search that never ends at infinity."""

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
