"""A world: the benchmark for one seed, on disk. It is built completely or not at all, and loaded only if it is
undamaged.

    worlds/7/
      world.json               manifest: seed, names, versions, hashes, canary, fingerprint
      package/<name>/          the importable package (pip-installable)
      docs/api.jsonl, api.md   documentation
      data/train.jsonl, single_test.jsonl, ...
      bank/NAME.jsonl          tasks of a bank folder, in terms of NumPy, if the world was built with one
      published/               the published files that the world was built from, if any

The same seed, catalog and bank produce byte-identical files and the same fingerprint. Only the manifest, which is for
the author, contains both the original and the forged names; nothing under `package/` or `docs/` does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from sebench.bank.definition import Definition, bank
from sebench.base import files
from sebench.base.errors import ConfigError, WorldError
from sebench.base.records import ApiDoc, Task
from sebench.base.wording import shell
from sebench.forge.catalog import catalog
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.changes.changes import SHARE
from sebench.forge.names.naming import NAMES, Names
from sebench.forge.package import package
from sebench.tasks import dataset, folders, splits
from sebench.tasks.folders import BankFolder
from sebench.world import build, manifest
from sebench.world.build import WHOLE, BuildPlan, Progress, Slice
from sebench.world.manifest import Manifest
from sebench.world.open_book import BookSettings
from sebench.world.prompts import Prompter

OUT, PLACE = "--out", "folder for worlds ($SEBENCH_WORLDS)"  # what chose the folder of a world, for messages


@dataclass(frozen=True)
class World:
    """A world on disk."""

    path: Path
    manifest: Manifest

    @classmethod
    def build(
        cls,
        seed: int,
        out: Path,
        *,
        name: str = "",
        mapping_file: Path | None = None,
        part: Slice = WHOLE,
        leave_out: int = 0,
        split: str = splits.DRAWN,
        level: str = NAMES,
        changed: float = SHARE,
        banks: Sequence[Path] = (),
        progress: Progress | None = None,
        chosen_by: str = OUT,
    ) -> World:
        """Build a world in the new folder `out`; a failure leaves nothing there. If `out` already is this world, it
        stays as it is. `level` is "names", "names+parameters" or "names+parameters+behaviour", where the share
        `changed` of functions differs from NumPy's; `banks` are folders of tasks that are added to the built-in bank.
        `chosen_by` says in messages what chose `out`."""
        more = tuple(map(folders.read, banks))
        folders.check_names(more)
        chosen = build.plan(seed, name, mapping_file, part, leave_out, level, changed)
        return cls._build(replace(chosen, part=str(part), split=split, banks=more), out, progress, chosen_by)

    @classmethod
    def build_edition(
        cls, before: World, out: Path, *, edits: int, seed: int, progress: Progress | None = None
    ) -> World:
        """Build a new edition of a world in the new folder `out`: the same world after this many edits, which are drawn
        from the seed."""
        tests = before.tasks(splits.SINGLE_TEST)
        return cls._build(build.plan_edition(before.manifest, tests, before.banks, edits, seed), out, progress)

    @classmethod
    def _build(cls, plan: BuildPlan, out: Path, progress: Progress | None, chosen_by: str = OUT) -> World:
        if out.exists():
            try:
                there = cls.load(out)
            except WorldError:
                there = None
            if there is None or not build.is_built(plan, there.manifest):
                raise ConfigError(f"{out} already exists; choose another {chosen_by} or remove it")
            return there
        with files.new_folder(out, chosen_by) as folder:
            build.write(plan, folder, progress or (lambda what, done, total: None))
        return cls.load(out)

    @classmethod
    def open(cls, world: str | int | Path | World, progress: Progress | None = None) -> World:
        """Open a world by its folder or its seed. The world of a seed is stored in `worlds_folder()`, and is built if
        it does not exist yet.
        """
        if isinstance(world, World):
            return world
        path = folder_of(str(world))
        if str(world).isdecimal() and not path.is_dir():
            try:
                return cls.build(int(str(world)), path, progress=progress, chosen_by=PLACE)
            except ConfigError:
                if not path.is_dir():  # another process may have built it in the meantime
                    raise
        return cls.load(path)

    @classmethod
    def load(cls, path: Path) -> World:
        """Read a world and check every file against the manifest."""
        loaded = manifest.read(path)
        for relative, digest in loaded.files.items():
            file = path / relative
            if not file.is_file():
                raise WorldError(f"world {path} is damaged: {relative} is missing; build it again")
            if manifest.sha(file.read_bytes()) != digest:
                raise WorldError(f"world {path} is damaged: {relative} was changed; build it again")
        if loaded.fingerprint != manifest.fingerprint(loaded):
            raise WorldError(f"world {path} is damaged: {manifest.MANIFEST} was changed; build it again")
        return cls(path, loaded)

    def __reduce__(self) -> tuple[Any, ...]:
        return World.load, (self.path.resolve(),)  # a world is pickled as its folder

    @property
    def names(self) -> Names:
        return self.manifest.names

    @property
    def package_folder(self) -> Path:
        """The folder that contains the package, to put on `sys.path` or to install with pip."""
        return self.path / "package"

    @cached_property
    def entries(self) -> Mapping[str, CatalogEntry]:
        """The catalog entry behind each forged function, by NumPy path."""
        known = catalog.by_any_name()
        unknown = sorted(self.names.functions.keys() - known.keys())
        if unknown:
            raise WorldError(
                f"world {self.path}: this version of sebench has no function '{unknown[0]}'; build it again"
            )
        return {path: known[path] for path in self.names.functions}

    @cached_property
    def banks(self) -> tuple[BankFolder, ...]:
        """The bank folders that the world was built with, read from the world's own copies."""
        return tuple(folders.of_file(self.path / "bank" / f"{name}.jsonl", name) for name in self.manifest.banks)

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """The tasks in terms of NumPy, by name: those in the built-in bank and in the bank folders that the world was
        built with."""
        return {d.name: d for d in (*bank(), *(d for folder in self.banks for d in folder.definitions))}

    def numpy_source(self, task: Task) -> str:
        """Return the solution of a task in NumPy; "" if there is none."""
        if task.published:
            solutions = task.published.get("example_output")
            return str(solutions[0]) if isinstance(solutions, list) and solutions else ""
        known = self.definitions.get(task.id)
        return known.source if known else ""

    @cached_property
    def pages(self) -> tuple[ApiDoc, ...]:
        """The pages of the documentation, in the order of the index."""
        lines = (self.path / "docs" / "api.jsonl").read_text("utf-8").splitlines()
        return tuple(ApiDoc.from_json(json.loads(line)) for line in lines)

    def page(self, function: str) -> ApiDoc:
        """Return the page about a function, given its forged path, its bare forged name or its original path."""
        name = function.removeprefix(f"{self.names.package}.")
        path = self.names.functions.get(name.removeprefix("numpy.").removeprefix("np."), name)
        matches = [p for p in self.pages if p.path == path or p.path.rpartition(".")[2] == path]
        if not matches:
            raise ConfigError(
                f"world {self.path}: no function '{function}'; 'sebench show {shell(self.path)}' lists its functions"
            )
        if len(matches) > 1:
            raise ConfigError(f"'{function}' is ambiguous: {' or '.join(p.path for p in matches)}; use the full path")
        return matches[0]

    def tasks(self, split: str) -> tuple[Task, ...]:
        """Return the tasks from a split ("train", "single_test", ...); empty if the world has none."""
        return tuple(self._task(split, name) for name in self.task_ids(split))

    def task_ids(self, split: str) -> tuple[str, ...]:
        """Return the ids of the tasks in a split without parsing the tasks, which would take a second in a world with
        all functions."""
        if split not in splits.SPLITS:
            raise ConfigError(f"unknown split '{split}'; choose from {', '.join(splits.SPLITS)}")
        return tuple(self._lines.get(split, ()))

    def task(self, name: str) -> Task:
        """Return a task by its id."""
        for split, lines in self._lines.items():
            if name in lines:
                return self._task(split, name)
        raise ConfigError(
            f"world {self.path}: no task '{name}'; 'sebench tasks sample {shell(self.path)}' shows some of its tasks"
        )

    def owns(self, task: Task) -> bool:
        """Whether this very task object belongs to the world, rather than a copy or a modified task."""
        return self._parsed.get(task.id) is task

    def _task(self, split: str, name: str) -> Task:
        if name not in self._parsed:
            self._parsed[name] = dataset.from_json(json.loads(self._lines[split][name]), self.manifest.matched_names)
        return self._parsed[name]

    @cached_property
    def _parsed(self) -> dict[str, Task]:
        return {}

    @cached_property
    def _lines(self) -> dict[str, dict[str, str]]:
        """The lines of each split by task id, so that a task is parsed only when it is needed."""
        return {split: dataset.lines(self.path / "data" / f"{split}.jsonl") for split in self.manifest.tasks}

    def prompter(
        self,
        templates: Path | None = None,
        book: BookSettings | None = None,
        names_given: bool = False,
        decline: bool = False,
        more: Sequence[str] = (),
    ) -> Prompter:
        """Return a prompt builder for this world, optionally with custom templates, a different choice of pages for the
        open book, the names of the needed functions, a paragraph on how to decline, or `more` templates for memories.
        """
        edition = self.manifest.edition
        changes = (self.path / build.CHANGELOG).read_text("utf-8") if edition else ""
        number = edition.number if edition else 1
        return Prompter.load(self.names, self.pages, templates, book, names_given, decline, more, changes, number)

    def prompt(self, task: Task | str, book: str) -> str:
        """Return the prompt for a task with the book "open" (documentation: the pages that it needs among 8 others),
        "closed" (no documentation) or "native" (about NumPy).
        """
        return self._prompter.prompt(self.task(task) if isinstance(task, str) else task, book).text

    @cached_property
    def _prompter(self) -> Prompter:
        return self.prompter()

    @contextmanager
    def library(self) -> Iterator[ModuleType]:
        """Yield the forged package, imported for the duration of a `with` block."""
        with package.import_package(self.package_folder, self.names.package) as module:
            yield module


def worlds_folder() -> Path:
    """Return the folder for worlds that are opened by seed: SEBENCH_WORLDS, or a folder in the user's home."""
    if folder := os.environ.get("SEBENCH_WORLDS"):
        return Path(folder)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "sebench" / "worlds"


def folder_of(world: str) -> Path:
    """Return the folder of a world that is named by its seed or its folder."""
    return worlds_folder() / str(int(world)) if world.isdecimal() else Path(world)


def worlds(folder: Path) -> Iterator[tuple[Path, Manifest | WorldError]]:
    """Yield every world in a folder, or what is wrong with its manifest; other files are not checked."""
    for path in sorted(p for p in folder.iterdir() if (p / manifest.MANIFEST).is_file()):
        try:
            yield path, manifest.read(path)
        except WorldError as error:
            yield path, error
