"""The names of one world: which forged name stands for which NumPy path.

`Names` is author's knowledge: it lies in the world's manifest, never in the forged package or its documentation.
How names are drawn is in `words.py`, how they are read from a file in `mapping.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sebench.forge import catalog
from sebench.forge.catalog import Entry
from sebench.forge.words import WordDrawer

MODULES = ("linalg", "fft")  # sub-modules of NumPy that the catalog draws on


@dataclass(frozen=True)
class Names:
    """One world's vocabulary."""

    package: str  # "vok"
    array: str  # the array type: "Talmek"
    modules: Mapping[str, str]  # "linalg" -> "rfx"
    functions: Mapping[str, str]  # NumPy path -> path below the package: "linalg.solve" -> "rfx.sarik"
    fields: Mapping[str, str]  # field of a named result -> forged field: "logabsdet" -> "ruvek"
    results: Mapping[str, str]  # function whose result is named -> its type: "linalg.slogdet" -> "Pafite"

    def forged(self, original: str) -> str:
        """The dotted name a program writes: "vok.rfx.sarik"."""
        return f"{self.package}.{self.functions[original]}"

    def find(self, name: str) -> str | None:
        """The path of a function of this world that somebody calls "mean", "np.amax" or "numpy.linalg.solve"; None if there is none."""
        path = name.removeprefix("numpy.").removeprefix("np.")
        entry = catalog.by_any_name().get(path)
        known = (path, *((entry.path, *entry.aliases) if entry else ()))
        return next((p for p in known if p in self.functions), None)

    def with_functions(self, more: Mapping[str, str]) -> Names:
        """The same names and those of further functions."""
        return replace(self, functions={**self.functions, **more})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Names:
        return cls(**data)


def draw(seed: int, entries: Iterable[Entry], package: str = "") -> Names:
    """Names for these functions from a seed. A function's name does not depend on which others are asked for."""
    drawer = WordDrawer(seed)
    modules = {m: drawer.word(5, m) for m in MODULES}
    own = drawer.word(5)
    array = drawer.word(6).capitalize()
    functions = drawer.words(catalog.entries())
    fields = drawer.words(dict.fromkeys(f for e in catalog.entries().values() for f in e.fields))
    results = {e.path: drawer.word(7).capitalize() for e in catalog.entries().values() if e.fields}
    wanted = {e.path: e for e in entries}
    return Names(
        package=package or own,
        array=array,
        modules={m: w for m, w in modules.items() if any(e.module == m for e in wanted.values())},
        functions={p: f"{modules[e.module]}.{functions[p]}" if e.module else functions[p] for p, e in wanted.items()},
        fields={f: fields[f] for e in wanted.values() for f in e.fields},
        results={p: results[p] for p, e in wanted.items() if e.fields},
    )
