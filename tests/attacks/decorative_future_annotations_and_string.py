# rule: a call inside a string is no call
# family: decorative
# task: sorted_copy
from __future__ import annotations
import LIB

def ascending(a: LIB.F[sort]) -> "LIB.F[sort](a)":
    """Uses LIB.F[sort](a)."""
    return sorted(a)
