"""Access to the backend, which is the installed NumPy. No other module inspects it."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

VERSION = np.__version__
# Tested with these versions. Since 2.5 `eig` and `eigvals` always return complex numbers: pages and answers would
# differ.
SUPPORTED = ">=2.2,<2.5"


def supported() -> bool:
    """Whether the installed NumPy can be used to build worlds."""
    return (2, 2) <= tuple(map(int, VERSION.split(".")[:2])) < (2, 5)


def has(path: str) -> bool:
    """Whether the installed NumPy still has this function, even if it is deprecated."""
    try:
        return callable(get(path))
    except AttributeError:
        return False


def get(path: str) -> Any:
    """Return the NumPy object at a catalog path."""
    return functools.reduce(getattr, path.split("."), np)


@functools.cache
def positions(path: str) -> tuple[str, ...] | None:
    """Return the parameters that a function takes by position; None if NumPy has no signature for it."""
    try:
        parameters = inspect.signature(get(path)).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
