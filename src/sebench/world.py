"""A world: one seed's benchmark on disk, built whole or not at all, and loaded only if it is undamaged.

    worlds/7/
      world.json               manifest: seed, names, versions, hashes, canary, fingerprint
      package/<name>/          the importable package (pip-installable)
      docs/api.jsonl, api.md   documentation
      data/train.jsonl, single_test.jsonl, multi_test.jsonl

The same seed, catalog, bank and NumPy give byte-identical files and the same fingerprint. The manifest holds the names of
both sides and is the author's: nothing under `package/` or `docs/` does.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import sebench
from sebench.errors import ConfigError, ForgeError, WorldError
from sebench.forge import audit, backend, catalog, mapping, naming, package, pages
from sebench.forge.catalog import Entry
from sebench.forge.naming import Names
from sebench.records import ApiDoc, Task
from sebench.tasks import dataset, slices, splits

FORMAT = 2  # raised when a world of an older sebench can no longer be read
MANIFEST = "world.json"

Progress = Callable[[str, int, int], None]  # (what is being done, done, of how many)


@dataclass(frozen=True)
class Manifest:
    """What `world.json` says."""

    format: int
    seed: int
    canary: str
    sebench: str
    numpy: str
    names: Names
    gone: tuple[str, ...]  # functions of a mapping that the installed NumPy does not have
    part: str  # "all", or which slice of the catalog
    split: str  # how test tasks are chosen: "drawn" from the seed, or "fixed"
    tasks: Mapping[str, int]  # number of tasks in each split
    mutants: Mapping[str, int]  # look-alike programs that the cases killed, that are equivalent, that survived
    files: Mapping[str, str]  # sha256 of every other file by relative path
    fingerprint: str

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "names": self.names.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Manifest:
        return cls(**{**data, "names": Names.from_json(data["names"]), "gone": tuple(data["gone"])})


@dataclass(frozen=True)
class Plan:
    """What decides a world: the same plan gives the same bytes."""

    seed: int
    names: Names
    entries: Mapping[str, Entry]  # by NumPy path, aliases of a mapping included
    gone: tuple[str, ...] = ()
    part: str = "all"
    split: str = splits.DRAWN


@dataclass(frozen=True)
class Slice:
    """Which part of the catalog a world has: all of it, the named subjects, or so many functions."""

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
        split: str = splits.DRAWN,
        progress: Progress | None = None,
    ) -> World:
        """Forge a world into the new folder `out`; on any failure nothing is left there."""
        if out.exists():
            raise ConfigError(f"{out} exists already; choose another --out or remove it")
        chosen = replace(plan(seed, name, mapping_file, part), part=str(part), split=split)
        with _appearing(out) as folder:
            _write(chosen, folder, progress or (lambda what, done, total: None))
        return cls.load(out)

    @classmethod
    def load(cls, path: Path) -> World:
        """Read a world and check every file of it against the manifest."""
        manifest = _read_manifest(path)
        for relative, digest in manifest.files.items():
            file = path / relative
            if not file.is_file():
                raise WorldError(f"world {path} is damaged: {relative} is missing; build it again")
            if _sha(file.read_bytes()) != digest:
                raise WorldError(f"world {path} is damaged: {relative} was changed; build it again")
        if manifest.fingerprint != _fingerprint(manifest):
            raise WorldError(f"world {path} is damaged: {MANIFEST} was changed; build it again")
        return cls(path, manifest)

    @property
    def names(self) -> Names:
        return self.manifest.names

    @property
    def package_folder(self) -> Path:
        """What goes on `sys.path`, and what pip installs."""
        return self.path / "package"

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The catalog entry behind each forged function, by NumPy path."""
        known = catalog.by_any_name()
        unknown = sorted(self.names.functions.keys() - known.keys())
        if unknown:
            raise WorldError(f"world {self.path}: this sebench has no function '{unknown[0]}'; build it again")
        return {path: known[path] for path in self.names.functions}

    @cached_property
    def pages(self) -> tuple[ApiDoc, ...]:
        """The documentation, in the order of the index."""
        lines = (self.path / "docs" / "api.jsonl").read_text("utf-8").splitlines()
        return tuple(ApiDoc.from_json(json.loads(line)) for line in lines)

    def page(self, function: str) -> ApiDoc:
        """The page of a function, by its forged path, its bare forged name or its original path."""
        asked = function.removeprefix(f"{self.names.package}.")
        path = self.names.functions.get(asked.removeprefix("numpy.").removeprefix("np."), asked)
        found = [p for p in self.pages if p.path == path or p.path.rpartition(".")[2] == path]
        if not found:
            raise ConfigError(f"world {self.path}: no function '{function}'; 'sebench show {self.path}' lists them")
        if len(found) > 1:
            raise ConfigError(f"'{function}' may be {' or '.join(p.path for p in found)}; give the full path")
        return found[0]

    def tasks(self, split: str) -> tuple[Task, ...]:
        """The tasks of a split: "train", "single_test" or "multi_test"."""
        if split not in splits.SPLITS:
            raise ConfigError(f"no split '{split}'; there are {', '.join(splits.SPLITS)}")
        return self._tasks[split]

    def task(self, name: str) -> Task:
        """A task by its id."""
        for tasks in self._tasks.values():
            for task in tasks:
                if task.id == name:
                    return task
        raise ConfigError(f"world {self.path}: no task '{name}'; 'sebench tasks sample {self.path}' shows some")

    @cached_property
    def _tasks(self) -> dict[str, tuple[Task, ...]]:
        return {split: dataset.read(self.path / "data" / f"{split}.jsonl", self.names) for split in splits.SPLITS}

    @contextmanager
    def library(self) -> Iterator[ModuleType]:
        """The forged package, imported for the time of a `with` block."""
        with package.imported(self.package_folder, self.names.package) as module:
            yield module

    def audit(self, progress: Progress | None = None) -> tuple[audit.Check, ...]:
        """Check the world on disk: functions, names, documentation, leaks, equivalence, determinism."""
        with self.library() as library:
            shown = [f for f in self.manifest.files if f.startswith(("docs/api.md", f"package/{self.names.package}/"))]
            evidence = audit.Evidence(
                names=self.names,
                entries=self.entries,
                library=library,
                docs=self.pages,
                texts={f: (self.path / f).read_text("utf-8") for f in shown},
                seed=self.manifest.seed,
                drawn=self.names.functions == naming.draw(self.manifest.seed, self.entries.values()).functions,
                rebuilt=self._rebuilt,
                whole=self.manifest.part == "all",
                gold=self._judged_gold,
            )
            todo = list(audit.checks(evidence))
            done: list[audit.Check] = []
            for title, check in todo:
                if progress:
                    progress(title, len(done), len(todo))
                done.append(check())
        return tuple(done)

    def _judged_gold(self) -> Iterator[tuple[str, str]]:
        """Every task with "" or what the judge has against its gold solution."""
        from sebench.judge.judge import Judge  # it knows worlds

        tasks = [task for split in splits.SPLITS for task in self.tasks(split)]
        with Judge(self) as judge:
            for task, verdict in zip(tasks, judge.judge_many((t, t.gold) for t in tasks), strict=True):
                yield task.id, "" if verdict.passed else f"gold is judged {verdict.kind}: {verdict.detail}"

    def _rebuilt(self) -> str:
        """Build the same world again elsewhere: "" or what came out differently."""
        with tempfile.TemporaryDirectory() as folder:
            was = self.manifest
            plan_again = Plan(was.seed, self.names, self.entries, was.gone, was.part, was.split)
            again = _write(plan_again, Path(folder), lambda what, done, total: None)
        if self.manifest.numpy != backend.VERSION:
            return f"the world was built with NumPy {self.manifest.numpy}, here is {backend.VERSION}"
        files = {**self.manifest.files, **again.files}
        changed = [f for f in files if self.manifest.files.get(f) != again.files.get(f)]
        if changed:
            return f"{changed[0]} came out differently"
        return "" if again.fingerprint == self.manifest.fingerprint else "the fingerprint came out differently"


def plan(seed: int, name: str = "", mapping_file: Path | None = None, part: Slice = WHOLE) -> Plan:
    """What a world of this seed will hold."""
    if name and (problem := mapping.unusable(name) or _clash(name)):
        raise ConfigError(f"--name {name!r} cannot be used: {problem}")
    if mapping_file is None:
        paths = part.paths(seed)
        entries = {e.path: e for e in catalog.seeded() if e.path in paths}
        missing = sorted(p for p in entries if not backend.has(p))
        if missing:
            raise ForgeError(f"NumPy {backend.VERSION} has no {', '.join(missing)}; sebench needs numpy>=2.2,<3")
        return Plan(seed, naming.draw(seed, entries.values(), name), entries)
    if part != WHOLE:
        raise ConfigError("a world from a mapping has all the functions of the mapping: no --subjects, no --functions")
    mapped = mapping.read(mapping_file, seed, name)
    if problem := _clash(mapped.names.package):
        raise ConfigError(f"mapping {mapping_file}: the package cannot be named {mapped.names.package!r}: {problem}")
    return Plan(seed, mapped.names, mapped.entries, mapped.gone)


def worlds(folder: Path) -> Iterator[tuple[Path, Manifest | WorldError]]:
    """Every world in a folder, or what is wrong with it; files are not checked."""
    for path in sorted(p for p in folder.iterdir() if (p / MANIFEST).is_file()):
        try:
            yield path, _read_manifest(path)
        except WorldError as error:
            yield path, error


def _write(chosen: Plan, folder: Path, progress: Progress) -> Manifest:
    files: dict[str, str] = {}

    def write(relative: str, text: str) -> None:
        file = folder / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
        files[relative] = _sha(text.encode("utf-8"))

    progress("package", 0, 1)
    for relative, text in package.files(chosen.names, chosen.entries, chosen.seed).items():
        write(f"package/{relative}", text)
    progress("package", 1, 1)
    canary = f"sebench-canary-{_sha(f'canary:{chosen.seed}:{chosen.names.package}'.encode())[:32]}"
    with package.imported(folder / "package", chosen.names.package) as module:
        docs = pages.write_pages(chosen.names, chosen.entries, module, progress)
        made, score = dataset.build(chosen.names, module, chosen.seed, chosen.split, progress, os.cpu_count() or 1)
    write("docs/api.jsonl", "".join(f"{json.dumps(p.to_json(), ensure_ascii=False)}\n" for p in docs))
    write("docs/api.md", f"<!-- {canary} -->\n\n{pages.book(docs, chosen.names)}")
    lines = {split: [t for t in made if t.split == split] for split in splits.SPLITS}
    for split, tasks in lines.items():
        text = "".join(f"{json.dumps(dataset.to_json(t, chosen.names), ensure_ascii=False)}\n" for t in tasks)
        write(f"data/{split}.jsonl", text)
    manifest = Manifest(
        format=FORMAT,
        seed=chosen.seed,
        canary=canary,
        sebench=sebench.__version__,
        numpy=backend.VERSION,
        names=chosen.names,
        gone=chosen.gone,
        part=chosen.part,
        split=chosen.split,
        tasks={split: len(tasks) for split, tasks in lines.items()},
        mutants=asdict(score),
        files=files,
        fingerprint="",
    )
    manifest = Manifest(**{**vars(manifest), "fingerprint": _fingerprint(manifest)})
    text = json.dumps(manifest.to_json(), indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(f"{text}\n", "utf-8")
    return manifest


@contextmanager
def _appearing(out: Path) -> Iterator[Path]:
    """A temporary folder beside `out` that takes its name when the block ends well, and goes when it does not."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise ConfigError(f"{out} cannot be written: {error.strerror}; choose another --out") from None
    try:
        folder.chmod(0o755)  # mkdtemp keeps others out, a world is for everybody
        yield folder
        folder.rename(out)
    except OSError as error:
        raise ConfigError(f"{out} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read_manifest(path: Path) -> Manifest:
    file = path / MANIFEST
    if not file.is_file():
        raise WorldError(
            f"{path} is no world: it has no {MANIFEST}; build one with 'sebench build --seed 7 --out {path}'"
        )
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise WorldError(
                f"world {path} has format {data['format']}, but this sebench {sebench.__version__} reads "
                f"format {FORMAT}; build it again"
            )
        return Manifest.from_json(data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise WorldError(f"world {path} is damaged: {MANIFEST} cannot be read ({error}); build it again") from None


def _fingerprint(manifest: Manifest) -> str:
    """One hash over everything that makes this world, but not over the version of sebench that wrote it."""
    data = manifest.to_json()
    for key in ("fingerprint", "sebench"):
        del data[key]
    return _sha(json.dumps(data, sort_keys=True).encode())


def _sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def _clash(name: str) -> str:
    """Why no package may have this name: it would hide one that programs or we ourselves need."""
    if name in sys.stdlib_module_names:
        return "it is a module of Python"
    if name in {"numpy", "np", "sebench", "scipy", "torch", "pip"}:
        return "it is a library that is in use"
    return ""
