"""The catalog: which NumPy functions are forged, and the data needed to forge each.

The data are in `catalog/*.toml`, one file per subject; this module only reads and checks them. It does not import
NumPy: callers check whether the installed NumPy has a function (`forge/catalog/backend.py`).

An entry:

    [mean]                                   # the path below `numpy.`: "linalg.solve", "fft.rfft"
    signature = "(a, axis=None, ...)"        # of the forged function; defaults have the same effect as NumPy's
    calls = ["np.mean(mat, axis=0)"]         # checked against NumPy on sampled arguments (`samples.py`)

and where needed:

    aliases = ["amax"]                       # other NumPy names of the same function; forged only from a mapping
    mapping_only = "why"                     # not in seeded worlds, but forged when a mapping names it
    fields = ["sign", "logabsdet"]           # the fields of a named result, which get forged names
    inplace = "arr"                          # the parameter that the function changes
    form = "a + b"                           # the same without the function: operator, indexing or construction
    rearranges = true                        # the result has the elements of an argument in another shape or order
    varies = true                            # the length of the result depends on the values of the arguments
    indexes = true                           # integers in the result are positions
    needs_array = ["ary"]                    # parameters for which NumPy refuses lists; the forged function takes them
    callbacks = ["func1d"]                   # parameters that take functions; everywhere else a function is refused
    finite = ["a"]                           # parameters that refuse nan and infinity (LAPACK may print or hang)
    example = ["np.mean([1, 2])"]            # our own examples, where NumPy's cannot be used
    summary, parameters, returns             # our own texts, where NumPy's cannot be used
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from sebench.base.errors import ForgeError


@dataclass(frozen=True)
class CatalogEntry:
    """One function in the catalog."""

    path: str
    subject: str
    signature: str
    calls: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    mapping_only: str = ""
    fields: tuple[str, ...] = ()
    form: str = ""
    inplace: str = ""
    rearranges: bool = False
    varies: bool = False
    indexes: bool = False
    needs_array: tuple[str, ...] = ()
    callbacks: tuple[str, ...] = ()
    finite: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    summary: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    returns: str = ""

    @property
    def module(self) -> str:
        """The NumPy sub-module; "" for the main namespace."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The bare name, which need not be unique: `cross` and `linalg.cross`."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True)
class Subject:
    """A group of functions, as shown in documentation and reports."""

    key: str
    title: str
    entries: tuple[CatalogEntry, ...]


@cache
def subjects() -> tuple[Subject, ...]:
    """Return all subjects in file order, validated."""
    folder = resources.files(__package__)
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    all_subjects = tuple(_subject(f.name.removesuffix(".toml"), tomllib.loads(f.read_text("utf-8"))) for f in files)
    seen: dict[str, str] = {}
    for subject in all_subjects:
        for entry in subject.entries:
            for path in (entry.path, *entry.aliases):
                if path in seen:
                    raise ForgeError(f"catalog: '{path}' is in both {seen[path]}.toml and {subject.key}.toml")
                seen[path] = subject.key
    return all_subjects


@cache
def entries() -> Mapping[str, CatalogEntry]:
    """Return every entry by its path."""
    return MappingProxyType({e.path: e for s in subjects() for e in s.entries})


@cache
def by_any_name() -> Mapping[str, CatalogEntry]:
    """Return every entry by its path and by each alias."""
    return MappingProxyType({p: e for e in entries().values() for p in (e.path, *e.aliases)})


def seeded() -> tuple[CatalogEntry, ...]:
    """Return the functions that a world with seeded names can have: no duplicates, no aliases, nothing random."""
    return tuple(e for e in entries().values() if not e.mapping_only)


def _subject(key: str, data: dict[str, Any]) -> Subject:
    title = data.pop("title", None)
    if not isinstance(title, str):
        raise ForgeError(f"catalog/{key}.toml: the title is missing")
    return Subject(key, title, tuple(_entry(key, path, raw) for path, raw in _flat(data)))


def _flat(data: dict[str, Any], prefix: str = "") -> list[tuple[str, dict[str, Any]]]:
    """List the entries in nested TOML tables: a table with a signature is an entry, any other table is a sub-module
    (`[linalg.solve]` is nested)."""
    tables: list[tuple[str, dict[str, Any]]] = []
    for name, raw in data.items():
        if "signature" in raw:
            tables.append((prefix + name, raw))
        else:
            tables.extend(_flat(raw, f"{prefix}{name}."))
    return tables


def _entry(subject: str, path: str, raw: dict[str, Any]) -> CatalogEntry:
    unknown = raw.keys() - (CatalogEntry.__dataclass_fields__.keys() - {"path", "subject"})
    if unknown:
        raise ForgeError(f"catalog/{subject}.toml: '{path}' has unknown keys: {', '.join(sorted(unknown))}")
    if not raw.get("calls"):
        raise ForgeError(f"catalog/{subject}.toml: '{path}' has no calls")
    lists = {k: tuple(v) for k, v in raw.items() if isinstance(v, list)}
    return CatalogEntry(path=path, subject=subject, **{**raw, **lists})
