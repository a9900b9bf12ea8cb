"""Checks that every forged function does what its original does.

Each call in the catalog is made in NumPy and, translated, in the forged package, on the same sampled inputs: once with
arrays and once with plain lists. Both must return the same values with the same dtype and shape, or fail with the same
builtin exception, and must leave their arguments in the same state. Both use the same backend, so the results must be
exactly equal.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from types import ModuleType
from typing import Any

import numpy as np

from sebench.forge.catalog import samples
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.names.naming import Names
from sebench.forge.package.package import resolve
from sebench.forge.runtime.kinds import word
from sebench.forge.translate.translate import Translator

SAMPLES = 3  # draws for each call


def calls(
    names: Names, entries: Mapping[str, CatalogEntry], library: ModuleType, seed: int
) -> Iterator[tuple[str, str]]:
    """Yield every call that was tried, with how the two libraries differ, or "" if they agree."""
    translator = Translator(names)
    make = resolve(library, names.functions["array"])
    array_type = getattr(library, names.array)
    for path, entry in entries.items():
        for call in entry.calls:
            call = call.replace(f"np.{entry.path}(", f"np.{path}(")
            forged = translator.code(call)
            for i in range(SAMPLES):
                for as_arrays in (True,) if entry.subject == "text" else (True, False):
                    drawn = samples.draw(seed + i, call)
                    used = {k: v for k, v in drawn.items() if re.search(rf"(?<![.\w]){k}\b", call)}
                    there = _outcome(call, {"np": np}, np.array, deepcopy(used), as_arrays)
                    here = _outcome(forged, {names.package: library}, make, used, as_arrays, array_type)
                    if entry.needs_array and not as_arrays and here[0] == "gave":
                        there, here = _outcome(call, {"np": np}, np.array, deepcopy(used), True)[:2], here[:2]
                    if entry.subject == "text":
                        there, here = _numbers(there), _numbers(here)
                    if as_arrays and there[0] == "raised":
                        yield call, f"the original fails on this: {there[1]}"
                    else:
                        yield call, "" if there == here else f"{there} in NumPy, {here} forged"


def _outcome(
    code: str,
    scope: dict[str, Any],
    make: Any,
    used: dict[str, Any],
    as_arrays: bool,
    array_type: Any = np.ndarray,
) -> tuple[Any, ...]:
    if as_arrays:
        used = {k: make(v) if isinstance(v, list) else v for k, v in used.items()}
    *imports, expression = code.splitlines()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(imports), scope)
            value = eval(expression, {**scope, **used})
        except Exception as error:
            return "raised", next(c for c in type(error).__mro__ if c.__module__ == "builtins").__name__
    return "gave", comparable(value, array_type), {k: comparable(v, array_type) for k, v in used.items()}


def comparable(value: Any, array_type: type) -> Any:
    """Convert a value from either library to typed plain data; floats become text, so that nan equals nan."""
    if isinstance(value, np.ndarray) and array_type is np.ndarray:
        return "array", value.shape, word(value.dtype), repr(value.tolist())
    if isinstance(value, np.generic) and array_type is np.ndarray:
        return comparable(value.item(), array_type)
    if isinstance(value, array_type):
        return "array", value.shape, value.dtype, repr(value.tolist())  # type: ignore[attr-defined]
    if isinstance(value, list | tuple):
        return "list" if isinstance(value, list) else "tuple", [comparable(v, array_type) for v in value]
    return type(value).__module__, type(value).__name__, repr(value)


def _numbers(outcome: tuple[Any, ...]) -> tuple[Any, ...]:
    """Reduce arrays printed as text to their numbers, so that the layout is not compared."""
    return outcome[0], re.findall(r"-?\d+(?:\.\d+)?", str(outcome[1][-1]))
