"""An edition of a world: how it differs from the world before it. `world/editions.py` draws editions, a manifest
records them, and the splits and stale answers of tasks depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sebench.forge.names.naming import Names

RENAMED, SWAPPED, PARAMETER, REMOVED, ADDED = "renamed", "swapped", "parameter renamed", "removed", "added"
MOVED, NEW_DEFAULT, BEHAVIOUR = "moved", "default", "behaviour"


@dataclass(frozen=True)
class LibraryEdit:
    """One change from the old edition to the new one."""

    kind: str
    functions: tuple[str, ...]  # NumPy paths
    name: str = ""  # NumPy's name for the parameter that is renamed
    old: str = ""  # the old word
    new: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LibraryEdit:
        return cls(**{**data, "functions": tuple(data["functions"])})


@dataclass(frozen=True)
class Edition:
    """How a world differs from the edition before it."""

    of: str  # fingerprint of the edition before
    number: int  # 2 for the second edition
    seed: int  # of the edits
    before: Names  # the names of the edition before
    edits: tuple[LibraryEdit, ...]
    tests: tuple[str, ...]  # names of the tasks in single_test of the edition before; older editions record none

    @property
    def removed(self) -> tuple[str, ...]:
        return tuple(path for edit in self.edits if edit.kind == REMOVED for path in edit.functions)

    @property
    def touched(self) -> frozenset[str]:
        """The functions in the new edition that were edited, except for added ones."""
        kinds = (REMOVED, ADDED)
        return frozenset(path for edit in self.edits if edit.kind not in kinds for path in edit.functions)

    @property
    def added(self) -> frozenset[str]:
        return frozenset(path for edit in self.edits if edit.kind == ADDED for path in edit.functions)

    def gone(self, path: str) -> tuple[str, ...]:
        """Return the words that a program for the old edition uses for a function and that no longer exist."""
        kinds = (RENAMED, PARAMETER, REMOVED)
        return tuple(edit.old for edit in self.edits if edit.kind in kinds and path in edit.functions)

    def name_removed(self, path: str) -> tuple[str, ...]:
        """Return the old name of a function that was removed, as a tuple; () if it was not."""
        return self.gone(path) if path in self.before.functions and path not in self.touched else ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "before": self.before.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Edition:
        edits = tuple(map(LibraryEdit.from_json, data["edits"]))
        before, tests = Names.from_json(data["before"]), tuple(data.get("tests", ()))
        return cls(**{**data, "before": before, "edits": edits, "tests": tests})
