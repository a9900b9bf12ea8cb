"""Numbers in messages."""

from __future__ import annotations


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 row", "1,200 rows"; `several` is for nouns, or words after them, that need more
    than an s ("1 page was", "2 pages were")."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
