"""The library that is forged: the installed NumPy, and what of it there is. The only place that asks it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

VERSION = np.__version__


def has(path: str) -> bool:
    """Whether the installed NumPy still has this function, whatever it says about its future."""
    try:
        return callable(get(path))
    except AttributeError:
        return False


def get(path: str) -> Any:
    """The NumPy object behind a path of the catalog."""
    return functools.reduce(getattr, path.split("."), np)
