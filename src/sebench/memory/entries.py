"""Entries of a searchable memory: each has a key that is searched and a text that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One entry: a page, or a training task with its answer."""

    id: str
    key: str  # what is searched
    text: str  # what is shown
    functions: tuple[str, ...] = ()  # forged paths that it covers
    task: str = ""  # id of the training task that it was made from; it is never shown for that task

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "functions": list(self.functions)}


def read_entries(data: Iterable[Mapping[str, Any]]) -> dict[str, Entry]:
    """Entries by their ids, in their order."""
    entries = [Entry(**{**one, "functions": tuple(one.get("functions", ()))}) for one in data]
    return {entry.id: entry for entry in entries}


def together(preface: str, entries: Sequence[Entry]) -> str:
    """The text that shows entries."""
    return "\n\n".join(text.strip() for text in (preface, *(entry.text for entry in entries)) if text.strip())
