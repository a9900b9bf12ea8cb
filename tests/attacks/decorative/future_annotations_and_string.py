# rule: a call inside a string is no call
# task: sorted_copy
# kinds: not_from_library
from __future__ import annotations
import LIB

def ascending(a: LIB.F[sort]) -> "LIB.F[sort](a)":
    """Uses LIB.F[sort](a)."""
    return sorted(a)
