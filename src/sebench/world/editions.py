"""Draws editions: a second version of a world, made from the first by a seeded list of edits.

Functions are renamed, exchange their names, are removed or added; parameters get other names or another place; defaults
and results change (forge/changes). Everything else stays as it was, including the cases of every task, so a model's
answers can be compared task by task. The added functions are ones that the first edition left out (`--leave-out`).

A program for the old edition is stale where the new one differs: it uses a name that no longer exists, or returns what
the old calls return now.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import ApiDoc
from sebench.forge.catalog import catalog, signature
from sebench.forge.changes import changes
from sebench.forge.changes.changes import DEFAULT, FROM_ONE, ORDER, REVERSED
from sebench.forge.names.naming import NAMES, Names
from sebench.forge.names.pseudowords import PseudowordGenerator
from sebench.tasks import boundary
from sebench.tasks.edition import (
    ADDED,
    BEHAVIOUR,
    MOVED,
    NEW_DEFAULT,
    PARAMETER,
    REMOVED,
    RENAMED,
    SWAPPED,
    Edition,
    LibraryEdit,
)

KINDS = (RENAMED, PARAMETER, MOVED, NEW_DEFAULT, BEHAVIOUR, SWAPPED, REMOVED, ADDED)  # drawn in turn
MOST_USERS = 4  # functions with a parameter that is renamed
KEPT = frozenset({"array"})  # without it no array can be created


class EditionDrawer:
    """Draws the edits of a new edition, one after the other; no function is edited twice."""

    def __init__(self, before: Names, whole: Names, seed: int, earlier: bool = False) -> None:
        """`whole` holds the names of all functions, including those that the old edition lacks. If there are `earlier`
        editions, these may have had some of the lacking functions, so functions are added under new names."""
        self.before, self.whole, self.earlier = before, whole, earlier
        self.functions, self.parameters = dict(before.functions), dict(before.parameters)
        self.changes = dict(before.changes)
        self.rng = random.Random(f"edition:{seed}:{before.package}")
        tables = (whole.modules, whole.fields, whole.results, whole.parameters, whole.words)
        words = [name.rpartition(".")[2] for name in whole.functions.values()]
        words += [word.lower() for table in tables for word in table.values()]
        self.words = PseudowordGenerator(
            f"edition:{seed}:{before.package}", [*words, whole.package, whole.array.lower()]
        )
        self.left = [path for path in sorted(before.functions) if path not in KEPT]
        self.rng.shuffle(self.left)
        self.families = [f for f in boundary.candidates(frozenset(before.functions)) if len(f) == 1]
        self.rng.shuffle(self.families)
        self.absent = [path for path in sorted(whole.functions) if path not in before.functions]
        self.rng.shuffle(self.absent)

    def draw(self, count: int) -> tuple[LibraryEdit, ...]:
        """Draw this many edits, taking every kind in turn; a kind that is used up is skipped."""
        drawers: dict[str, Callable[[], LibraryEdit | None]] = {
            RENAMED: self._renamed,
            PARAMETER: self._parameter,
            MOVED: lambda: self._changed(MOVED, (ORDER,)),
            NEW_DEFAULT: lambda: self._changed(NEW_DEFAULT, (DEFAULT,)),
            BEHAVIOUR: lambda: self._changed(BEHAVIOUR, (FROM_ONE, REVERSED)),
            SWAPPED: self._swapped,
            REMOVED: self._removed,
            ADDED: self._added,
        }
        edits: list[LibraryEdit] = []
        while len(edits) < count and drawers:
            for kind in [kind for kind in KINDS if kind in drawers]:
                edit = drawers[kind]() if len(edits) < count else None
                if edit is not None:
                    edits.append(edit)
                elif len(edits) < count:
                    del drawers[kind]
        if len(edits) < count:
            raise ConfigError(f"--edits {count}: this world allows only {len(edits)}; choose fewer, or a larger world")
        return tuple(sorted(edits, key=lambda edit: (KINDS.index(edit.kind), edit.functions)))

    def names(self) -> Names:
        """Return the names of the new edition."""
        entries = {path: catalog.by_any_name()[path] for path in self.functions}
        fields = {name for entry in entries.values() for name in entry.fields}
        used = {name for entry in entries.values() for name in signature.read(entry.signature).all}
        modules = {entry.module for entry in entries.values()}
        return replace(
            self.whole,
            functions={path: self.functions[path] for path in self.whole.functions if path in self.functions},
            modules={name: word for name, word in self.whole.modules.items() if name in modules},
            fields={name: word for name, word in self.whole.fields.items() if name in fields},
            results={path: word for path, word in self.whole.results.items() if path in self.functions},
            parameters={n: self.parameters.get(n, w) for n, w in self.whole.parameters.items() if n in used},
            changes=self.changes,
        )

    def matched(self) -> Names | None:
        """Return the names of the new edition together with those of the functions that it lacks; None if it lacks
        none."""
        names = self.names()
        absent = {path: word for path, word in self.whole.functions.items() if path not in names.functions}
        if not absent:
            return None
        parameters = {**self.whole.parameters, **names.parameters}
        return replace(self.whole, functions={**absent, **names.functions}, parameters=parameters, changes=self.changes)

    def _take(self, fits: Callable[[str], bool]) -> str | None:
        path = next((path for path in self.left if fits(path)), None)
        if path is not None:
            self.left.remove(path)
        return path

    def _new_name(self, path: str) -> str:
        module, _, word = self.whole.functions[path].rpartition(".")
        new = self.words.word(len(word), path)
        return f"{module}.{new}" if module else new

    def _renamed(self) -> LibraryEdit | None:
        path = self._take(lambda path: True)
        if path is None:
            return None
        self.functions[path] = self._new_name(path)
        old, new = (name.rpartition(".")[2] for name in (self.before.functions[path], self.functions[path]))
        return LibraryEdit(RENAMED, (path,), old=old, new=new)

    def _swapped(self) -> LibraryEdit | None:
        """Exchange the names of two functions in the same module that have the same number of required arguments."""

        def shape(path: str) -> tuple[str, int]:
            entry = catalog.by_any_name()[path]
            takes = signature.read(entry.signature)
            return entry.module, len(takes.all) - len(takes.defaults)

        for one in self.left:
            other = next((path for path in self.left if path != one and shape(path) == shape(one)), None)
            if other is not None:
                self.left = [path for path in self.left if path not in (one, other)]
                self.functions[one], self.functions[other] = self.functions[other], self.functions[one]
                old, new = (self.before.functions[path].rpartition(".")[2] for path in (one, other))
                return LibraryEdit(SWAPPED, (one, other), old=old, new=new)
        return None

    def _parameter(self) -> LibraryEdit | None:
        """Rename a parameter that few functions have, if none of them has been edited yet."""
        users: dict[str, list[str]] = {}
        for path in self.before.functions:
            for name in signature.read(catalog.by_any_name()[path].signature).named:
                users.setdefault(name, []).append(path)
        few = [n for n, paths in sorted(users.items()) if len(paths) <= MOST_USERS and set(paths) <= set(self.left)]
        few = [n for n in few if any(p.default is not p.empty for p in _parameters(users[n][0], n))]
        if not few:
            return None
        name = self.rng.choice(few)
        self.left = [path for path in self.left if path not in users[name]]
        old = self.parameters[name]
        self.parameters[name] = self.words.word(len(old), name)
        return LibraryEdit(PARAMETER, tuple(users[name]), name, old, self.parameters[name])

    def _changed(self, kind: str, kinds: tuple[str, ...]) -> LibraryEdit | None:
        def possible(path: str) -> list[str]:
            entry = catalog.by_any_name()[path].path
            return [] if entry in self.changes else [k for k in kinds if k in changes.changes().get(entry, ())]

        path = self._take(lambda path: bool(possible(path)))
        if path is None:
            return None
        self.changes[catalog.by_any_name()[path].path] = self.rng.choice(possible(path))
        return LibraryEdit(kind, (path,))

    def _removed(self) -> LibraryEdit | None:
        while self.families:
            [path] = self.families.pop()
            if path in self.left:
                self.left.remove(path)
                del self.functions[path]
                self.changes.pop(path, None)
                return LibraryEdit(REMOVED, (path,), old=self.before.functions[path].rpartition(".")[2])
        return None

    def _added(self) -> LibraryEdit | None:
        if not self.absent:
            return None
        path = self.absent.pop()
        self.functions[path] = self._new_name(path) if self.earlier else self.whole.functions[path]
        return LibraryEdit(ADDED, (path,), new=self.functions[path].rpartition(".")[2])


def _parameters(path: str, name: str) -> Iterator[Any]:
    return (p for p in signature.read(catalog.by_any_name()[path].signature).parameters if p.name == name)


def check_level(names: Names) -> None:
    """Raise ConfigError for a world without forged parameters, because their names could not change."""
    if names.level == NAMES:
        raise ConfigError(
            "--edition-of: the world must have forged parameters; build it with --forge names+parameters or "
            "names+parameters+behaviour"
        )


def changelog(edition: Edition, names: Names, pages: Mapping[str, ApiDoc]) -> str:
    """Return the list of changes for readers, in Markdown. `pages` are those of the new edition, by NumPy path."""
    lines = "\n".join(f"- {_line(edit, edition.before, names, pages)}" for edit in edition.edits)
    return f"# Changes in edition {edition.number} of {names.package}\n\n{lines}\n"


def _line(edit: LibraryEdit, before: Names, names: Names, pages: Mapping[str, ApiDoc]) -> str:
    path, *others = edit.functions
    old = f"`{before.forged(path)}`" if path in before.functions else ""
    new = f"`{names.forged(path)}`" if path in names.functions else ""
    if edit.kind == RENAMED:
        return f"{old} is now called {new}."
    if edit.kind == SWAPPED:
        return f"{old} and `{before.forged(others[0])}` have exchanged their names: each does now what the other did."
    if edit.kind == PARAMETER:
        functions = ", ".join(f"`{names.forged(one)}`" for one in edit.functions)
        return f"{functions}: the parameter `{edit.old}` is now called `{edit.new}`."
    if edit.kind == REMOVED:
        return f"{old} was removed."
    if edit.kind == ADDED:
        return f"{new} is new. {pages[path].summary} `{pages[path].signature}`"
    return f"{new} has changed. {_note(pages[path])}"


def _note(page: ApiDoc) -> str:
    """Return what the page of a changed function says about the change: the paragraph after the summary."""
    body = page.text.split(page.summary, 1)[1].strip()
    return body.split("\n\n")[0]
