"""Right programs besides gold, for credit: an answer that does a function's work in another way is held against one of
these.

    @instead_of("ptp", by=("max", "min"))   # in every task where `alternatives.toml` records these as alternatives
    def ptp(a, axis=None):
        return np.max(a, axis=axis) - np.min(a, axis=axis)

    @another(count_nonzero="count_nonzero") # for one task: which function here does the work of which one of gold
    def two_questions_of_a_survey(first, second):
        ...

The files are read, never run (`tasks/references.py`); the decorators only mark. A stand-in has the parameters of the
function that it stands for, under NumPy's names, as far as it can honour them. One that is not right in a task counts
for nothing there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def instead_of(function: str, *, by: tuple[str, ...]) -> Callable[[Any], Any]:
    """Mark a stand-in for a function, and which functions do its work there."""
    return lambda written: written


def another(**work: str) -> Callable[[Any], Any]:
    """Mark another right program for the task of this name."""
    return lambda written: written
