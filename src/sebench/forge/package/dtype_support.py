"""Which element kinds a function accepts as `dtype`, determined by trying them.

Each call in the catalog is made in NumPy with each kind, on the sampled inputs as they are and on inputs converted to
that kind. A page does not list a kind that fails in all of these calls. Not covered: which input kinds can be combined
with which result kinds.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import Any

import numpy as np

from sebench.forge.catalog import catalog, samples
from sebench.forge.runtime.kinds import KINDS


@cache
def supported_kinds(path: str) -> tuple[str, ...]:
    """Return the words that the function accepts as `dtype`; none if `dtype` is a required argument, not an option."""
    return tuple(word for word, letters in KINDS.items() if any(_works(call, letters) for call in _calls(path)))


def _calls(path: str) -> list[str]:
    """Return the catalog's calls without a `dtype`, with the closing parenthesis removed so that an argument can be
    added."""
    plain = [c for c in catalog.entries()[path].calls if c.startswith(f"np.{path}(") and c.endswith(")")]
    return [re.sub(r",\s*dtype=[^,)]+", "", call)[:-1] for call in plain]


def _works(call: str, letters: str) -> bool:
    drawn = {k: np.array(v) if isinstance(v, list) else v for k, v in samples.draw(1, f"{call})").items()}
    return any(_runs(call, letters, inputs) for inputs in (drawn, _cast(drawn, letters)))


def _cast(drawn: dict[str, Any], letters: str) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {k: v.astype(letters) if isinstance(v, np.ndarray) else v for k, v in drawn.items()}


def _runs(call: str, letters: str, inputs: dict[str, Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(f"{call}, dtype={letters!r})", {"np": np, **inputs})
        except (TypeError, ValueError, OverflowError):
            return False
    return True
