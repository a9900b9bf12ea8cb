from __future__ import annotations

from collections.abc import Callable
from typing import Any

NOT_FINITE = "must not contain infs or NaNs"
TOO_LARGE = "a power is too large"
GIANT = 2**53


def replaced(pick: Callable[[str], Any], wrap: Callable[[Any], Any]) -> dict[str, Any]:

    return {**_texts(pick, wrap), **_memory(pick), **_numbers(pick)}


def _texts(pick: Callable[[str], Any], wrap: Callable[[Any], Any]) -> dict[str, Any]:

    return {
        "0f0346cddefd06e2": lambda held: repr(wrap(pick("77644c994eee5fb6")(held))),
        "a697d0f8d291e829": lambda held: str(wrap(pick("77644c994eee5fb6")(held))),
        "52cea0a041e27ba5": lambda held: str(wrap(pick("77644c994eee5fb6")(held))),
    }


def _memory(pick: Callable[[str], Any]) -> dict[str, Any]:

    return {
        "d811380b391980af": pick("7897e498463bad74"),
        "b41638b12a22ebfc": lambda prototype, *args, **options: pick("70462ca5788fea18")(prototype, *args, **options),
        "ea4b1f197b8c2d5c": lambda array, pad_width, mode="constant", **options: pick("ea4b1f197b8c2d5c")(
            array, pad_width, "constant" if mode == "empty" else mode, **options
        ),
    }


def _numbers(pick: Callable[[str], Any]) -> dict[str, Any]:


    def all_finite(held: Any) -> bool:
        return held.dtype.kind not in "fc" or bool(pick("8f91d936a2172806")(held).all())

    def count(x: Any, **options: Any) -> Any:
        held = pick("1e58330803c1ea5d")(x)
        if held.dtype.kind in "iu" and held.size and max(abs(int(held.min())), abs(int(held.max()))) > GIANT:
            raise ValueError("Maximum allowed")
        return pick("b16be8de8ecd0a1a")(x, **options)

    def fit(x: Any, y: Any, degree: Any, **options: Any) -> Any:
        points, weights = pick("1e58330803c1ea5d")(x), pick("1e58330803c1ea5d")(options.get("w", 1.0))
        if points.dtype.kind in "iufc" and points.size and weights.size:
            powers = abs(points * 1.0) ** max(int(degree), 0) * abs(weights).max()
            if not all_finite(powers):
                raise ValueError(TOO_LARGE)
        return pick("7365213524a25511")(x, y, degree, **options)

    return {"b16be8de8ecd0a1a": count, "7365213524a25511": fit, **_by_singular_values(pick, all_finite)}


def _by_singular_values(pick: Callable[[str], Any], all_finite: Callable[[Any], bool]) -> dict[str, Any]:


    def of_any(x: Any, **options: Any) -> Any:
        held, axis = pick("1e58330803c1ea5d")(x), options.get("axis")
        of_matrices = held.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2
        if of_matrices:
            refuse(held, options.get("ord"))
        return pick("44d5e9b7eb3b76f1")(x, **options)

    def of_matrix(x: Any, **options: Any) -> Any:
        refuse(pick("1e58330803c1ea5d")(x), options.get("ord"))
        return pick("ab41ae21d9894160")(x, **options)

    def condition(x: Any, **options: Any) -> Any:
        refuse(pick("1e58330803c1ea5d")(x), 2 if options.get("p") is None else options["p"])
        return pick("41e715e324f5137a")(x, **options)

    def refuse(held: Any, choice: Any) -> None:
        chosen = choice.tolist() if hasattr(choice, "tolist") else choice
        if chosen in (2, -2, "nuc") and not all_finite(held):
            raise ValueError(NOT_FINITE)

    return {"44d5e9b7eb3b76f1": of_any, "ab41ae21d9894160": of_matrix, "41e715e324f5137a": condition}
