"""Runs the grid of an experiment: every method in every world is trained and evaluated, and what is done is never done again.

    OUT/experiment.json          what is compared with what
    OUT/worlds/                  worlds that were built for it
    OUT/base/                    the embedded model as an ordinary folder
    OUT/WORLD/NAME/row.json      settings of a row, and what of it is done
    OUT/WORLD/NAME/model/        the trained model with learn.json, log.jsonl, probes.jsonl
    OUT/WORLD/NAME/run/, seen/   ordinary runs: the evaluation, and training questions asked again
    OUT/WORLD/NAME/row.log       what the processes of the row printed

Each row is a process (`row.py`), and begins beside others only if the memory has room for it (`row_memory.py`). One that runs out of memory
beside others is tried once more, alone. One that fails is told in one line, and the others go on. The same command continues; a row
whose settings have changed is refused, and what changed is named. More splits, books, tasks or samples extend an evaluation.

Rows are processes of this machine, or of a cluster with shared storage (`starter`, docs/scale.md).

Not covered: more than one GPU for a row.
"""

from __future__ import annotations

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.settings import to_json
from sebench.experiment.grid import Grid, MethodConfig
from sebench.experiment.processes import LocalProcesses, RowFailed, RowLauncher, RowMessage, RowOutOfMemory
from sebench.experiment.row import MODEL, RUN, RowJob
from sebench.experiment.row_memory import MemoryBudget, RowWork
from sebench.forge.names import naming
from sebench.models import load as models
from sebench.models import transformers
from sebench.models.checkpoints import EMBEDDED
from sebench.rollout.store import EXTENDING
from sebench.train import methods
from sebench.train.config import NONE
from sebench.version import __version__
from sebench.world.build import Slice
from sebench.world.prompts import check_templates
from sebench.world.world import World

FORMAT = 1
MANIFEST, ROW, LOG = "experiment.json", "row.json", "row.log"
BASE = "base"
WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pt.new")
START = "start"  # in a row's settings: those of the row that it begins with
OF_RUNS = ("model", "tasks")  # settings of a run that the row decides
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ExperimentRow:
    """A method in a world."""

    world: World
    method: MethodConfig
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.method.name}"


@dataclass(frozen=True)
class RowResult:
    """How a row ended."""

    row: ExperimentRow
    seconds: float
    error: str = ""  # "" where it is done
    skipped: bool = False  # it was done before
    alone: bool = False  # it ran out of memory beside others, and was tried again alone
    out_of_memory: bool = False


def check(grid: Grid, here: bool) -> None:
    """Refuse what cannot be trained or evaluated, before worlds are built for it. `here`: the rows are processes of this machine."""
    grid.evaluate.compared()  # reads the files that settings name
    check_templates(grid.evaluate.prompts)
    if not here or (grid.out / MANIFEST).is_file():
        return  # what is done already may be compared where no model can be loaded
    for method in grid.methods:
        if method.method != NONE:
            methods.check(method.method, method.learn)
        elif method.learn.model == EMBEDDED:
            transformers.libraries()
        else:
            models.check(replace(grid.evaluate, model=method.learn.model))


def open_worlds(grid: Grid, progress: Progress) -> list[World]:
    """The worlds of the grid, built where they are missing: folders first, which may not be there."""
    opened = {name: _world(grid, name, progress) for name in sorted(grid.worlds, key=str.isdigit)}
    return [opened[name] for name in grid.worlds]


def _world(grid: Grid, name: str, progress: Progress) -> World:
    if not grid.functions and grid.level == naming.NAMES:
        return World.open(name, progress)
    parts = [name, *([f"{grid.functions}-functions"] if grid.functions else [])]
    parts += [grid.level] if grid.level != naming.NAMES else []
    folder = grid.out / "worlds" / "-".join(parts)  # other settings, another folder
    if folder.is_dir():
        return World.load(folder)
    return World.build(int(name), folder, part=Slice(functions=grid.functions), level=grid.level, progress=progress)


class Experiment:
    """One grid that is being worked on."""

    def __init__(
        self,
        grid: Grid,
        worlds: Sequence[World],
        progress: Progress = lambda what, done, total: None,
        ended: Callable[[RowResult], None] = lambda outcome: None,
        starter: RowLauncher | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.grid, self.progress, self.ended, self.note = grid, progress, ended, note
        self.here = LocalProcesses(grid.parallel)
        self.starter = starter or self.here
        # Elsewhere the cluster decides what runs where; a single row at a time always begins.
        self.memory = (
            MemoryBudget(grid.parallel) if isinstance(self.starter, LocalProcesses) and grid.parallel > 1 else None
        )
        self.crowded: set[str] = set()  # rows that ran beside others
        self.alone: set[str] = set()  # rows that run when no other does
        self.waited: set[str] = set()  # rows that have been said to wait for memory
        labels = [Path(name).name for name in grid.worlds]
        self.rows = [
            ExperimentRow(world, method, grid.out / label / method.name)
            for label, world in zip(labels, worlds, strict=True)
            for method in grid.methods
        ]
        self.active: dict[str, str] = {}  # what each running row is at
        self.done = 0
        self.lock = threading.Lock()
        least = [m.learn.per_function for m in grid.methods if m.learn.per_function]
        self.per_function = min(least, default=0)

    def run(self) -> list[RowResult]:
        """Every row; the outcomes in the order of the grid."""
        with _alone(self.grid.out):
            for one in self.rows:
                self._begin(one)
            files.write(self.grid.out / MANIFEST, json.dumps(self._manifest(), indent=1) + "\n")
            owed = [one for one in self.rows if not self._is_done(one)]
            if any(self._model(one.method) == EMBEDDED for one in owed):
                self._unpack_base()
            found = {one.name: RowResult(one, 0.0, skipped=True) for one in self.rows if one not in owed}
            self.done = len(found)
            self._work(owed, found)
            if self.grid.keep == NONE and not any(outcome.error for outcome in found.values()):
                shutil.rmtree(self.grid.out / BASE, ignore_errors=True)
        return [found[one.name] for one in self.rows]

    # ---- order ----------------------------------------------------------------------------------------------

    def _work(self, owed: Sequence[ExperimentRow], found: dict[str, RowResult]) -> None:
        """Rows as soon as what they begin with is there, a few at a time, where memory has room. What comes of them is added to `found`."""
        waiting = list(owed)
        parallel = self.starter.parallel(self.grid.parallel, len(owed))
        with ThreadPoolExecutor(parallel) as pool:
            running: dict[Future[RowResult], ExperimentRow] = {}
            while waiting or running:
                if self.memory:
                    self.memory.refresh()
                for one in list(waiting):
                    before = f"{one.folder.parent.name}/{one.method.start}"
                    if one.method.start and before in {r.name for r in [*waiting, *running.values()]}:
                        continue
                    if one.method.start and before in found and found[before].error:
                        waiting.remove(one)
                        found[one.name] = self._report(RowResult(one, 0.0, f"'{one.method.start}' did not end"))
                    elif len(running) < parallel and self._may_begin(one, list(running.values())):
                        waiting.remove(one)
                        running[pool.submit(self._row, one)] = one
                if running:
                    ready, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ready:
                        one, outcome = running.pop(future), future.result()
                        if self.memory:
                            self.memory.release(one.name)
                        if outcome.out_of_memory and one.name in self.crowded - self.alone:
                            self.alone.add(one.name)
                            self.note(f"{one.name}: {outcome.error}; it is tried again when no other row runs")
                            waiting.append(one)
                        else:
                            found[one.name] = self._report(_with_next_step(outcome))
                self._drop(found)

    def _may_begin(self, one: ExperimentRow, running: Sequence[ExperimentRow]) -> bool:
        """Whether a row begins now. One always does when no other runs."""
        names = {other.name for other in running}
        if self.memory is None:
            return True
        if running and (one.name in self.alone or names & self.alone):
            return False
        learn = replace(one.method.learn, model=self._begins_with(one))
        trained = one.method.method == NONE or _trained(one.folder)
        if why := self.memory.reserve(one.name, RowWork(one.world, NONE if trained else one.method.method, learn)):
            if one.name not in self.waited:
                self.waited.add(one.name)
                self.note(f"{one.name} waits until another row has ended: it {why}")
            return False
        self.crowded |= {one.name, *names} if names else set()
        return True

    def _report(self, outcome: RowResult) -> RowResult:
        with self.lock:
            self.active.pop(outcome.row.name, None)
            self.done += not outcome.error
        self.ended(outcome)
        self._show()
        return outcome

    def _show(self) -> None:
        with self.lock:
            what = " | ".join(f"{name}: {at}" for name, at in sorted(self.active.items()))
            self.progress(what, self.done, len(self.rows))

    # ---- one row --------------------------------------------------------------------------------------------

    def _row(self, one: ExperimentRow) -> RowResult:
        began, alone = time.monotonic(), one.name in self.alone
        try:
            self._process(one, self._job(one))
        except RowFailed as failure:
            lacking = isinstance(failure, RowOutOfMemory)
            return RowResult(one, time.monotonic() - began, str(failure), alone=alone, out_of_memory=lacking)
        data = _read_json(one.folder / ROW)
        data |= {"done": data["settings"]} | ({"alone": "it ran out of memory beside other rows"} if alone else {})
        files.write(one.folder / ROW, json.dumps(data, indent=1) + "\n")
        return RowResult(one, time.monotonic() - began, alone=alone)

    def _job(self, one: ExperimentRow) -> RowJob:
        """What is left to do of a row."""
        learn = untrained = None
        model = str(one.folder / MODEL)
        if one.method.method == NONE:
            source = self._source(one)
            untrained = {**to_json(one.method.learn), "model": source}
            model = (
                source if Path(source).is_dir() else f"hf:{source}"
            )  # a training takes a hub's name without the prefix
        elif not _trained(one.folder):
            learn = {**to_json(one.method.learn), "model": self._source(one)}
            if self.memory:
                learn["pack_tokens"] = self.memory.pack_tokens(one.name)
        elif not _has_weights(one.folder / MODEL):
            raise RowFailed(
                'its weights are gone (keep = "none"), so that nothing more can be asked; choose another --out'
            )
        return RowJob(
            folder=str(one.folder),
            world=str(one.world.path),
            method=one.method.method,
            learn=learn,
            untrained=untrained,
            evaluate={**to_json(self.grid.evaluate), "model": model},
            seen=self.grid.seen,
            per_function=self.per_function,
        )

    def _source(self, one: ExperimentRow) -> str:
        """The model that a row begins with; a failure where its weights are gone."""
        model = self._begins_with(one)
        if one.method.start and not _has_weights(Path(model)):
            raise RowFailed(f"the weights of '{one.method.start}' are gone; choose another --out")
        return model

    def _begins_with(self, one: ExperimentRow) -> str:
        if one.method.start:
            return str(one.folder.parent / one.method.start / MODEL)
        chosen = self._model(one.method)
        return str(self.grid.out / BASE) if chosen == EMBEDDED else chosen

    def _model(self, method: MethodConfig) -> str:
        return "" if method.start else method.learn.model

    def _unpack_base(self) -> None:
        """The embedded model as a folder, for all rows."""
        if (self.grid.out / BASE).is_dir():
            return
        here = replace(self.rows[0], folder=self.grid.out)
        try:
            self._process(here, RowJob(str(self.grid.out / BASE)))
        except RowFailed as failure:
            raise ConfigError(f"model = {EMBEDDED!r}: {failure}") from None
        finally:
            self.active.clear()

    def _process(self, one: ExperimentRow, job: RowJob) -> None:
        """The job in a process: how far it is is shown, and why it failed is raised."""
        error, what, lacking = "", "", False

        def hear(said: RowMessage) -> None:
            nonlocal error, what, lacking
            error, what, lacking = said.get("error", error), said.get("what", what), said.get("memory", lacking)
            with self.lock:
                self.active[one.name] = f"{what} {said['done']:,}/{said['total']:,}" if "done" in said else what
            self._show()

        log = one.folder / LOG
        start = log.stat().st_size if log.is_file() else 0
        starter = self.starter if job.world else self.here
        if status := starter.run(job, log, hear):
            failure = RowOutOfMemory if lacking or status == -signal.SIGKILL else RowFailed
            raise failure(error or f"{what or 'its process'}: {_reason(status, log, start)}")

    # ---- on disk --------------------------------------------------------------------------------------------

    def _settings(self, one: ExperimentRow) -> dict[str, Any]:
        """What decides the numbers of a row."""
        evaluate = {key: value for key, value in self.grid.evaluate.compared().items() if key not in OF_RUNS}
        return {
            **self._weights(one.method),
            "world": one.world.manifest.fingerprint,
            "evaluate": {**evaluate, "prompts": self.grid.evaluate.prompts},
            "seen": self.grid.seen,
        }

    def _weights(self, method: MethodConfig) -> dict[str, Any]:
        """What decides the weights of a row in a world: its settings, and those of the row that it begins with."""
        untrained = method.method == NONE
        return {
            "method": method.method,
            "from": method.start,
            "learn": {"model": method.learn.model} if untrained else method.learn.compared(),
            START: self._weights(self.grid.method(method.start)) if method.start else None,
        }

    def _begin(self, one: ExperimentRow) -> None:
        """The row's folder; an error where it was begun with other settings."""
        now = json.loads(json.dumps(self._settings(one)))
        if not (one.folder / ROW).is_file() or not any((one.folder / part).exists() for part in (MODEL, RUN)):
            files.make_folder(one.folder)  # there is nothing to lose: a mistyped setting does not occupy it
            files.write(one.folder / ROW, json.dumps({"format": FORMAT, "settings": now}, indent=1) + "\n")
            return
        data = _read_json(one.folder / ROW)
        data |= {key: _readable(data[key], now) for key in ("settings", "done") if key in data}
        before = data["settings"]
        # The run itself knows what extends it. An earlier version did not write down what a row begins with.
        extending = {"seen", *(f"evaluate.{name}" for name in EXTENDING), *({START} - before.keys())}
        step = "choose another --out, or remove that folder"
        resume.refuse_changes(one.folder, before, now, allowed=lambda key, was, is_now: key in extending, step=step)
        data = {**data, "settings": now}
        files.write(one.folder / ROW, json.dumps(data, indent=1) + "\n")

    def _is_done(self, one: ExperimentRow) -> bool:
        data = _read_json(one.folder / ROW)
        return bool(data.get("done") == data["settings"])

    def _drop(self, found: Mapping[str, RowResult]) -> None:
        """Delete weights that no row needs any more, if that is wanted; what a training says about itself stays."""
        for one in self.rows if self.grid.keep == NONE else []:
            later = [r for r in self.rows if r.folder.parent == one.folder.parent and r.method.start == one.method.name]
            if all(r.name in found and not found[r.name].error for r in [one, *later]):
                for file in (file for pattern in WEIGHTS for file in (one.folder / MODEL).glob(pattern)):
                    file.unlink()

    def _manifest(self) -> dict[str, Any]:
        """What a report needs to know about the whole."""
        worlds = {one.folder.parent.name: one.world for one in self.rows}
        return {
            "format": FORMAT,
            "sebench": __version__,
            "file": self.grid.file.name,
            "baseline": self.grid.baseline,
            "worlds": [
                {"name": name, "seed": w.manifest.seed, "fingerprint": w.manifest.fingerprint, "part": w.manifest.part}
                for name, w in worlds.items()
            ],
            "methods": [
                {"name": m.name, "method": m.method, "from": m.start, "model": self._model(m)}
                for m in self.grid.methods
            ],
        }


def _with_next_step(outcome: RowResult) -> RowResult:
    """Of a row that ran out of memory: what may help."""
    if not outcome.out_of_memory:
        return outcome
    again = "with no other row beside it, too: " if outcome.alone else ""
    step = "set a smaller pack_tokens in [learn] or batch in [evaluate], or fewer rows side by side (parallel)"
    return replace(outcome, error=f"{outcome.error}; {again}{step}")


def _readable(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a row without those that its method does not read; an earlier version wrote down those of all methods."""
    kept = {**before, "learn": {key: value for key, value in before["learn"].items() if key in now["learn"]}}
    if before.get(START) and now[START]:
        kept[START] = _readable(before[START], now[START])
    return kept


def _trained(folder: Path) -> bool:
    file = folder / MODEL / "learn.json"
    return file.is_file() and bool(_read_json(file).get("ended"))


def _has_weights(folder: Path) -> bool:
    return any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))


def _read_json(file: Path) -> dict[str, Any]:
    return resume.read(file, "remove its folder to make it again")


def _reason(status: int, log: Path, start: int) -> str:
    """Why a process failed that did not say it: its last line, or the signal that ended it."""
    if status < 0:
        return f"killed by {signal.Signals(-status).name}; the same command continues; the log is {log}"
    lines = log.read_bytes()[start:].decode("utf-8", "replace").strip().splitlines()
    return f"{lines[-1].strip() if lines else f'exit status {status}'}; the log is {log}"


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """One process works in a folder."""
    with files.lock(out):
        yield
