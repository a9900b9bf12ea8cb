"""The names of one world: the forged name of each NumPy path.

`Names` is for the author: it is stored in the world's manifest, never in the forged package or its documentation. Names
are drawn in `pseudowords.py`, or read from a file in `mapping.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sebench.forge.catalog import catalog, options, signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.changes import changes
from sebench.forge.changes.changes import SHARE, Change
from sebench.forge.names.pseudowords import PseudowordGenerator

MODULES = ("linalg", "fft")  # sub-modules of NumPy that the catalog covers
# What is forged: only the names of functions, or also parameter names and option words, or also what functions do.
NAMES, PARAMETERS, BEHAVIOUR = LEVELS = ("names", "names+parameters", "names+parameters+behaviour")


@dataclass(frozen=True)
class Names:
    """The names of one world."""

    package: str  # "vok"
    array: str  # the array type: "Talmek"
    modules: Mapping[str, str]  # "linalg" -> "rfx"
    functions: Mapping[str, str]  # NumPy path -> path below the package: "linalg.solve" -> "rfx.sarik"
    fields: Mapping[str, str]  # field of a named result -> forged field: "logabsdet" -> "ruvek"
    results: Mapping[str, str]  # function whose result is named -> its type: "linalg.slogdet" -> "Pafite"
    parameters: Mapping[str, str] = field(default_factory=dict)  # "axis" -> "tolem"; empty at the level `names`
    words: Mapping[str, str] = field(default_factory=dict)  # option words: "reflect" -> "sirop"; empty there too
    changes: Mapping[str, str] = field(default_factory=dict)  # "argmax" -> "from_one"; empty below `BEHAVIOUR`

    @property
    def level(self) -> str:
        """The level of these names, one of `LEVELS`."""
        return BEHAVIOUR if self.changes else PARAMETERS if self.parameters else NAMES

    def change(self, path: str) -> Change | None:
        """Return how a function differs from NumPy's; None if it does not."""
        if not self.changes:
            return None
        path = catalog.by_any_name()[path].path
        return changes.find(path, self.changes[path]) if path in self.changes else None

    def without_changes(self) -> Names:
        """Return the same names without the changes, as if every function did what NumPy's does."""
        return replace(self, changes={})

    def parameter(self, original: str) -> str:
        """Return the name of a parameter in this world."""
        return self.parameters.get(original, original)

    def word(self, original: str) -> str:
        """Return this world's word for an option word such as "reflect"."""
        return self.words.get(original, original)

    def forged(self, original: str) -> str:
        """Return the full name of a function in programs, such as "vok.rfx.sarik"."""
        return f"{self.package}.{self.functions[original]}"

    def signature(self, entry: CatalogEntry) -> str:
        """Return the signature of a forged function, as its definition and its page show it."""
        if self.level == NAMES:
            return entry.signature
        change = self.change(entry.path)
        written = change.signature(entry.signature) if change else entry.signature
        return signature.rename(written, self.parameters, self.words, options.words(entry.path))

    def find(self, name: str) -> str | None:
        """Return the NumPy path under which this world has the function that is called "mean", "np.amax" or
        "numpy.linalg.solve"; None if it has no such function.
        """
        path = name.removeprefix("numpy.").removeprefix("np.")
        entry = catalog.by_any_name().get(path)
        known = (path, *((entry.path, *entry.aliases) if entry else ()))
        return next((p for p in known if p in self.functions), None)

    def lacking(self, other: Names) -> dict[str, str]:
        """Return the functions that are in `other` but not here, with their names in `other`."""
        return {path: name for path, name in sorted(other.functions.items()) if path not in self.functions}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form. Tables that are empty at this level are omitted, so that worlds at the lower levels
        keep the fingerprints that they had before the higher levels existed.
        """
        absent = (*(() if self.parameters else ("parameters", "words")), *(() if self.changes else ("changes",)))
        return {key: value for key, value in asdict(self).items() if key not in absent}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Names:
        return cls(**data)


def draw(
    seed: int, entries: Iterable[CatalogEntry], package: str = "", level: str = NAMES, changed: float = SHARE
) -> Names:
    """Draw names for these functions from a seed. A name depends neither on which other functions are included nor on
    the level. `changed` is the share of functions that change, at the level `BEHAVIOUR`.
    """
    drawer = PseudowordGenerator(seed)
    modules = {m: drawer.word(5, m) for m in MODULES}
    own = drawer.word(5)
    array = drawer.word(6).capitalize()
    functions = drawer.words(catalog.entries())
    fields = drawer.words(dict.fromkeys(f for e in catalog.entries().values() for f in e.fields))
    results = {e.path: drawer.word(7).capitalize() for e in catalog.entries().values() if e.fields}
    chosen_entries = {e.path: e for e in entries}
    parameters, words = _draw_options(drawer, chosen_entries) if level != NAMES else ({}, {})
    return Names(
        package=package or own,
        array=array,
        modules={m: w for m, w in modules.items() if any(e.module == m for e in chosen_entries.values())},
        functions={
            p: f"{modules[e.module]}.{functions[p]}" if e.module else functions[p] for p, e in chosen_entries.items()
        },
        fields={f: fields[f] for e in chosen_entries.values() for f in e.fields},
        results={p: results[p] for p, e in chosen_entries.items() if e.fields},
        parameters=parameters,
        words=words,
        changes=changes.draw(seed, changed, chosen_entries.values()) if level == BEHAVIOUR else {},
    )


def _draw_options(
    drawer: PseudowordGenerator, entries: Mapping[str, CatalogEntry]
) -> tuple[dict[str, str], dict[str, str]]:
    """Draw parameter names and option words for the whole catalog, and keep those that these functions take."""
    parameters = drawer.words(_parameters(catalog.entries()))
    words = drawer.words(options.all_words(catalog.entries()))
    return (
        {name: parameters[name] for name in _parameters(entries)},
        {word: words[word] for word in options.all_words(entries)},
    )


def _parameters(entries: Mapping[str, CatalogEntry]) -> Iterator[str]:
    yield from dict.fromkeys(name for e in entries.values() for name in signature.read(e.signature).all)
