"""The catalog of changes: in which ways a function may differ from NumPy's at the level `names+parameters+behaviour`.

The data are in `changes.toml`. Every change can be undone: a NumPy program can be translated into one with the same
results, so tasks keep their questions and expected values, and only the right call changes. An answer that treats the
function as if it were NumPy's fails. The kinds of changes are:

    order      the first two parameters are exchanged
    default    a parameter has another default
    from_one   the positions in the result count from 1
    reversed   the result is reversed: the elements along the axis, or the parts of a tuple

This module applies a change to a signature and to a page; `package.py` generates the changed function, and
`translate.py` undoes the change in a call.
"""

from __future__ import annotations

import inspect
import random
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from sebench.base.errors import ForgeError
from sebench.forge.catalog import catalog, signature
from sebench.forge.catalog.catalog import CatalogEntry

ORDER, DEFAULT, FROM_ONE, REVERSED = KINDS = ("order", "default", "from_one", "reversed")
SHARE = 0.25  # share of a world's functions that change


@dataclass(frozen=True)
class Change:
    """One change to one function."""

    path: str
    kind: str
    parameter: str = ""  # for `default`
    value: Any = None  # the new default
    note: str = ""  # a paragraph for the page
    edits: tuple[tuple[str, str], ...] = ()  # phrases on the page that are no longer true, and their replacements
    example: tuple[str, ...] = ()  # calls that show the change, in NumPy's names

    def signature(self, written: str) -> str:
        """Apply the change to a function's signature and return the result."""
        parameters = list(signature.read(written).parameters)
        if self.kind == ORDER:
            parameters[:2] = parameters[1], parameters[0]
        elif self.kind == DEFAULT:
            parameters = [p.replace(default=self.value) if p.name == self.parameter else p for p in parameters]
        return str(inspect.Signature(parameters))

    def edit(self, text: str) -> str:
        """Correct a text about the function so that it is true of the changed function."""
        for old, new in self.edits:
            if not new or new not in text:  # once: a new phrase may contain the old one
                text = text.replace(old, new)
        return text


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads((resources.files(__package__) / "changes.toml").read_text("utf-8"))


@cache
def changes() -> Mapping[str, Mapping[str, Change]]:
    """Return the possible changes to each function that can change, by path and kind."""
    table: dict[str, dict[str, Change]] = {}
    for kind in KINDS:
        for path, raw in _data()[kind].items():
            if path not in catalog.entries():
                raise ForgeError(f"changes.toml: '{path}' is not in the catalog")
            table.setdefault(path, {})[kind] = _change(kind, catalog.entries()[path], raw)
    return MappingProxyType(table)


def find(path: str, kind: str) -> Change:
    """Return the change of this kind to the function at `path`, which may be an alias."""
    return changes()[catalog.by_any_name()[path].path][kind]


def edit_any_page(text: str) -> str:
    """Correct what may be untrue on any page as soon as some function is changed."""
    for old, new in _data()["everywhere"]:
        text = text.replace(old, new)
    return text


def draw(seed: int, share: float, entries: Iterable[CatalogEntry]) -> dict[str, str]:
    """Draw which of these functions change, and return the kind of change by path. Whether a function changes does not
    depend on which other functions the world has."""
    rng = random.Random(f"changes:{seed}")
    paths = sorted(changes())
    rng.shuffle(paths)
    kinds = {path: rng.choice(sorted(changes()[path])) for path in paths}
    drawn = paths[: round(share * len(catalog.seeded()))]
    return {entry.path: kinds[entry.path] for entry in entries if entry.path in drawn}


def _change(kind: str, entry: CatalogEntry, raw: Mapping[str, Any]) -> Change:
    takes = signature.read(entry.signature)
    first, second = (*takes.positional, "", "")[:2]
    parameter, value = raw.get("parameter", ""), raw.get("value")
    edits = [(old, new) for old, new in raw.get("edits", ())]
    note = raw.get("note", "")
    if kind == ORDER:
        note = note or f"The order of the arguments is `{second}`, `{first}`."
    elif kind == FROM_ONE:
        note = note or "Positions in the result count from 1: the first element has position 1."
    elif kind == DEFAULT:
        note = note or f"Unless it is given, `{parameter}` is {value!r}."
        if parameter not in takes.defaults or takes.defaults[parameter] == value:
            raise ForgeError(f"changes.toml: {value!r} cannot be the new default of '{parameter}' of '{entry.path}'")
    return Change(entry.path, kind, parameter, value, note, tuple(edits), tuple(raw.get("example", ())))
