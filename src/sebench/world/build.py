"""Writes worlds. The same plan produces the same bytes, which depend on the seed, the catalog, the bank and NumPy's
results.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, ForgeError
from sebench.base.records import ApiDoc, Task
from sebench.forge.catalog import backend, catalog
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.changes import changes
from sebench.forge.changes.changes import SHARE
from sebench.forge.docs import pages
from sebench.forge.names import mapping, naming
from sebench.forge.names.naming import Names
from sebench.forge.package import package
from sebench.tasks import boundary, dataset, slices, splits
from sebench.tasks.edition import Edition
from sebench.tasks.folders import BankFolder
from sebench.version import __version__
from sebench.world import editions, manifest
from sebench.world.editions import EditionDrawer
from sebench.world.manifest import FORMAT, Manifest, sha

CHANGELOG = "docs/changes.md"  # of an edition, for readers
Progress = Callable[[str, int, int], None]  # (current step, number done, total)


@dataclass(frozen=True)
class PublishedContents:
    """Published pages and tasks that a world uses instead of its own, and the files that they were read from."""

    tasks: Sequence[Task] = ()
    pages: Sequence[ApiDoc] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)  # texts by name: "mapping.json", "train.jsonl"
    facts: Mapping[str, Any] = field(default_factory=dict)  # recorded in the manifest


@dataclass(frozen=True)
class BuildPlan:
    """Everything that determines a world: the same plan produces the same bytes."""

    seed: int
    names: Names
    entries: Mapping[str, CatalogEntry]  # by NumPy path, including the aliases of a mapping
    gone: tuple[str, ...] = ()
    part: str = "all"
    split: str = splits.DRAWN
    matched: Names | None = None  # names of the matched world, if this one leaves functions out
    banks: tuple[BankFolder, ...] = ()  # their tasks are added to the built-in bank
    published: PublishedContents | None = None
    changed: float = 0.0  # the share of functions that were to differ from NumPy's
    edition: Edition | None = None


@dataclass(frozen=True)
class Slice:
    """The part of the catalog that a world contains: all of it, the named subjects, or a number of functions."""

    subjects: tuple[str, ...] = ()
    functions: int = 0

    def __str__(self) -> str:
        return ", ".join(self.subjects) or (f"{self.functions} functions" if self.functions else "all")

    def paths(self, seed: int) -> frozenset[str]:
        if self.subjects and self.functions:
            raise ConfigError("--subjects and --functions cannot be used together; choose one")
        if self.subjects:
            return slices.by_subjects(self.subjects)
        return slices.by_count(self.functions, seed) if self.functions else frozenset(e.path for e in catalog.seeded())


WHOLE = Slice()


def plan(
    seed: int,
    name: str = "",
    mapping_file: Path | None = None,
    part: Slice = WHOLE,
    leave_out: int = 0,
    level: str = naming.NAMES,
    changed: float = SHARE,
) -> BuildPlan:
    """Plan the world for this seed. With `leave_out`, it lacks that many functions of its matched world (the same world
    built without this option). `level`, one of `naming.LEVELS`, says what is forged, and `changed` is the share of
    functions that differ from NumPy's at the level `naming.BEHAVIOUR`.
    """
    if level not in naming.LEVELS:
        raise ConfigError(f"--forge {level!r} is unknown; choose {' or '.join(naming.LEVELS)}")
    if not 0 < changed <= (most := len(changes.changes()) / len(catalog.seeded())):
        raise ConfigError(f"--changed {changed} is not possible; choose a share of at most {most:.2f}")
    if not backend.supported():
        raise ForgeError(f"worlds cannot be built with NumPy {backend.VERSION}: pip install 'numpy{backend.SUPPORTED}'")
    if name and (problem := mapping.name_problem(name) or _clash(name)):
        raise ConfigError(f"--name {name!r} cannot be used: {problem}")
    if mapping_file is None:
        paths = part.paths(seed)
        gone = boundary.choose_left_out(paths, leave_out, seed) if leave_out else ()
        whole = {e.path: e for e in catalog.seeded() if e.path in paths}
        entries = {path: entry for path, entry in whole.items() if path not in gone}
        matched = naming.draw(seed, whole.values(), name, level, changed) if gone else None
        names = naming.draw(seed, entries.values(), name, level, changed)
        return _with_changes(BuildPlan(seed, names, entries, matched=matched), level, changed)
    if part != WHOLE or leave_out:
        raise ConfigError(
            "a world from a mapping has all functions of the mapping; leave out --subjects, --functions and --leave-out"
        )
    mapped = mapping.read(mapping_file, seed, name, level, changed)
    if problem := _clash(mapped.names.package):
        raise ConfigError(f"mapping {mapping_file}: the package cannot be named {mapped.names.package!r}: {problem}")
    return _with_changes(BuildPlan(seed, mapped.names, mapped.entries, mapped.gone), level, changed)


def _with_changes(build_plan: BuildPlan, level: str, changed: float) -> BuildPlan:
    """Record in a plan what share of functions was to change, if any."""
    if level != naming.BEHAVIOUR:
        return build_plan
    if not build_plan.names.changes:
        raise ConfigError(
            f"--forge {level}: with seed {build_plan.seed} none of these functions changes; choose more functions"
        )
    return replace(build_plan, changed=changed)


def plan_edition(
    was: Manifest, tests: Sequence[Task], banks: tuple[BankFolder, ...], edits: int, seed: int
) -> BuildPlan:
    """Plan a new edition of a world whose single-function tests are `tests`, with this many edits drawn from the seed.
    Cases and splits stay the same."""
    if was.published or was.pages or was.gone:
        raise ConfigError(
            "--edition-of: not possible for a world with published or rewritten pages, or with functions that NumPy "
            "has removed"
        )
    editions.check_level(was.names)
    drawer = EditionDrawer(was.names, was.matched_names, seed, earlier=was.edition is not None)
    drawn = drawer.draw(edits)
    names = drawer.names()
    entries = {path: catalog.by_any_name()[path] for path in names.functions}
    number, tested = was.edition.number + 1 if was.edition else 2, tuple(task.id for task in tests)
    edition = Edition(was.fingerprint, number, seed, was.names, drawn, tested)
    whole = BuildPlan(was.seed, names, entries, was.gone, was.part, was.split, drawer.matched(), banks)
    return replace(whole, changed=was.changed, edition=edition)


def write(build_plan: BuildPlan, folder: Path, progress: Progress) -> Manifest:
    """Write a world into an empty folder."""
    files: dict[str, str] = {}

    def put(relative: str, text: str) -> None:
        file = folder / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
        files[relative] = sha(text.encode("utf-8"))

    progress("package", 0, 1)
    for relative, text in package.files(build_plan.names, build_plan.entries, build_plan.seed).items():
        put(f"package/{relative}", text)
    progress("package", 1, 1)
    canary = f"sebench-canary-{sha(f'canary:{build_plan.seed}:{build_plan.names.package}'.encode())[:32]}"
    docs: Sequence[ApiDoc]
    tasks_built: Sequence[Task]
    if build_plan.published is not None:
        docs, tasks_built, score = build_plan.published.pages, build_plan.published.tasks, dataset.MutantCounts()
    else:
        docs, tasks_built, score = _forge_contents(build_plan, folder, progress)
    names = build_plan.matched or build_plan.names
    if left_out := build_plan.names.lacking(names):
        workers = os.cpu_count() or 1
        more, own = dataset.boundary_tasks(names, tuple(left_out), build_plan.seed, workers, build_plan.edition)
        tasks_built, score = [*tasks_built, *more], score + own
    put("docs/api.jsonl", "".join(f"{json.dumps(p.to_json(), ensure_ascii=False)}\n" for p in docs))
    put("docs/api.md", f"<!-- {canary} -->\n\n{pages.book(docs, build_plan.names)}")
    if build_plan.edition is not None:
        by_path = {page.path: page for page in docs}
        by_original = {path: by_path[forged] for path, forged in build_plan.names.functions.items()}
        put(CHANGELOG, editions.changelog(build_plan.edition, build_plan.names, by_original))
    lines = {split: [t for t in tasks_built if t.split == split] for split in splits.SPLITS}
    for split, tasks in lines.items():
        text = "".join(f"{json.dumps(dataset.to_json(t, names), ensure_ascii=False)}\n" for t in tasks)
        put(f"data/{split}.jsonl", text)
    for one in build_plan.banks:
        put(f"bank/{one.name}.jsonl", one.text)
    for name, text in (build_plan.published.inputs if build_plan.published else {}).items():
        put(f"published/{name}", text)
    world_manifest = Manifest(
        format=FORMAT,
        seed=build_plan.seed,
        canary=canary,
        sebench=__version__,
        numpy=backend.VERSION,
        names=build_plan.names,
        gone=build_plan.gone,
        part=build_plan.part,
        split=build_plan.split,
        tasks={split: len(tasks) for split, tasks in lines.items()},
        mutants=asdict(score),
        files=files,
        fingerprint="",
        matched=build_plan.matched,
        banks={one.name: one.digest for one in build_plan.banks},
        published=build_plan.published.facts if build_plan.published else {},
        changed=build_plan.changed,
        edition=build_plan.edition,
    )
    return manifest.write(folder, world_manifest)


def is_built(build_plan: BuildPlan, there: Manifest) -> bool:
    """Whether a world is the one that this plan produces with these versions of sebench and NumPy."""
    settings = ("seed", "names", "gone", "part", "split", "matched", "changed", "edition")
    banks = {one.name: one.digest for one in build_plan.banks}
    return (
        all(getattr(there, name) == getattr(build_plan, name) for name in settings)
        and (there.sebench, there.numpy, there.banks) == (__version__, backend.VERSION, banks)
        and not (there.published or there.pages or build_plan.published)
    )


def _forge_contents(
    build_plan: BuildPlan, folder: Path, progress: Progress
) -> tuple[Sequence[ApiDoc], Sequence[Task], dataset.MutantCounts]:
    """Write the pages and tasks of a world whose package is in this folder."""
    with package.import_package(folder / "package", build_plan.names.package) as module:
        docs = pages.write_pages(build_plan.names, build_plan.entries, module, progress)
        texts = {page.path: page.text for page in docs}
        tasks_built, score = dataset.build(
            build_plan.names,
            module,
            texts,
            build_plan.seed,
            build_plan.split,
            progress,
            os.cpu_count() or 1,
            build_plan.banks,
            build_plan.edition,
        )
    return docs, tasks_built, score


def _clash(name: str) -> str:
    """Return why a package must not have this name (it would hide a module that programs or sebench need), or ""."""
    if name in sys.stdlib_module_names:
        return "it is a Python module"
    if name in {"numpy", "np", "sebench", "scipy", "torch", "pip"}:
        return "it is a library that sebench uses"
    return ""
