"""Runs the grid of an experiment: trains and evaluates every method in every world; finished rows are not repeated.

    OUT/experiment.json          the rows and the baseline
    OUT/worlds/                  worlds built for it
    OUT/base/                    the embedded model as an ordinary folder
    OUT/WORLD/NAME/row.json      settings of a row, and whether it is done
    OUT/WORLD/NAME/model/        the trained model with learn.json, log.jsonl, probes.jsonl
    OUT/WORLD/NAME/run/, seen/   ordinary runs: the evaluation, and training questions asked again
    OUT/WORLD/NAME/row.log       output of the row's processes

Each row is a process (`row.py`), and runs in parallel with others only if there is enough memory (`row_memory.py`). A
row that runs out of memory in parallel with others is tried once more, alone. A row that fails is reported in one line,
and the others go on. The same command continues an experiment; a row whose settings have changed is refused, and the
error names the change. More splits, books, tasks or samples extend an evaluation.

Rows run on this machine, or on a cluster with shared storage (`launcher`, docs/scale.md).

Not covered: more than one GPU for a row.
"""

from __future__ import annotations

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
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
from sebench.models import transformers
from sebench.models.checkpoints import EMBEDDED
from sebench.rollout import models
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
START = "start"  # in a row's settings: those of the row that it starts from
OF_RUNS = ("model", "tasks")  # settings of a run that the row sets
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
    error: str = ""  # "" if it is done
    skipped: bool = False  # it was already done
    alone: bool = False  # it ran out of memory in parallel with others, and was tried again alone
    out_of_memory: bool = False


def check(grid: Grid, here: bool) -> None:
    """Refuse what cannot be trained or evaluated, before worlds are built. `here`: the rows run on this machine."""
    grid.evaluate.compared()  # reads the files that settings name
    check_templates(grid.evaluate.prompts)
    if not here or (grid.out / MANIFEST).is_file():
        return  # finished rows can be compared on a machine that cannot load models
    for method in grid.methods:
        if method.method != NONE:
            methods.check(method.method, method.learn)
        elif method.learn.model == EMBEDDED or transformers.gguf_file(method.learn.model):
            transformers.libraries()
        else:
            models.check(replace(grid.evaluate, model=method.learn.model))


def open_worlds(grid: Grid, progress: Progress) -> list[World]:
    """The worlds of the grid, built if they are missing. Folders first, since they may not exist."""
    by_name = {name: _world(grid, name, progress) for name in sorted(grid.worlds, key=str.isdigit)}
    return [by_name[name] for name in grid.worlds]


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
    """Runs the rows of one grid."""

    def __init__(
        self,
        grid: Grid,
        worlds: Sequence[World],
        progress: Progress = lambda what, done, total: None,
        on_result: Callable[[RowResult], None] = lambda result: None,
        launcher: RowLauncher | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.grid, self.progress, self.on_result, self.note = grid, progress, on_result, note
        self.here = LocalProcesses(grid.parallel)
        self.launcher = launcher or self.here
        # On a cluster, the cluster decides what runs where; a single row at a time needs no check.
        self.memory = (
            MemoryBudget(grid.parallel) if isinstance(self.launcher, LocalProcesses) and grid.parallel > 1 else None
        )
        self.ran_in_parallel: set[str] = set()
        self.run_alone: set[str] = set()  # rows that ran out of memory in parallel with others
        self.reported_waiting: set[str] = set()  # rows whose wait for memory has been reported
        labels = [Path(name).name for name in grid.worlds]
        self.rows = [
            ExperimentRow(world, method, grid.out / label / method.name)
            for label, world in zip(labels, worlds, strict=True)
            for method in grid.methods
        ]
        self.active: dict[str, str] = {}  # the progress of each running row
        self.done = 0
        self.lock = threading.Lock()
        least = [m.learn.per_function for m in grid.methods if m.learn.per_function]
        self.per_function = min(least, default=0)

    def run(self) -> list[RowResult]:
        """Run every row; returns the results in the order of the grid."""
        with files.lock(self.grid.out):
            for one in self.rows:
                self._begin(one)
            files.write(self.grid.out / MANIFEST, json.dumps(self._manifest(), indent=1) + "\n")
            unfinished = [one for one in self.rows if not self._is_done(one)]
            if any(self._model(one.method) == EMBEDDED for one in unfinished):
                self._unpack_base()
            results = {one.name: RowResult(one, 0.0, skipped=True) for one in self.rows if one not in unfinished}
            self.done = len(results)
            self._work(unfinished, results)
            if self.grid.keep == NONE and not any(result.error for result in results.values()):
                shutil.rmtree(self.grid.out / BASE, ignore_errors=True)
        return [results[one.name] for one in self.rows]

    # ---- order ----------------------------------------------------------------------------------------------

    def _work(self, unfinished: Sequence[ExperimentRow], results: dict[str, RowResult]) -> None:
        """Run rows in parallel as memory allows, each after the row that it starts from. Their results are added to
        `results`."""
        waiting = list(unfinished)
        parallel = self.launcher.parallel(self.grid.parallel, len(unfinished))
        with ThreadPoolExecutor(parallel) as pool:
            running: dict[Future[RowResult], ExperimentRow] = {}
            while waiting or running:
                if self.memory:
                    self.memory.refresh()
                for one in list(waiting):
                    before = f"{one.folder.parent.name}/{one.method.start}"
                    if one.method.start and before in {r.name for r in [*waiting, *running.values()]}:
                        continue
                    if one.method.start and before in results and results[before].error:
                        waiting.remove(one)
                        results[one.name] = self._report(RowResult(one, 0.0, f"'{one.method.start}' did not finish"))
                    elif len(running) < parallel and self._may_start(one, list(running.values())):
                        waiting.remove(one)
                        running[pool.submit(self._run_row, one)] = one
                if running:
                    ready, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ready:
                        one, result = running.pop(future), future.result()
                        if self.memory:
                            self.memory.release(one.name)
                        if result.out_of_memory and one.name in self.ran_in_parallel - self.run_alone:
                            self.run_alone.add(one.name)
                            self.note(f"{one.name}: {result.error}; it will be tried again when no other row runs")
                            waiting.append(one)
                        else:
                            results[one.name] = self._report(_with_next_step(result))
                self._drop_weights(results)

    def _may_start(self, one: ExperimentRow, running: Sequence[ExperimentRow]) -> bool:
        """Whether a row may start now. It always may if no other runs."""
        names = {other.name for other in running}
        if self.memory is None:
            return True
        if running and (one.name in self.run_alone or names & self.run_alone):
            return False
        learn = replace(one.method.learn, model=self._starting_model(one))
        trained = one.method.method == NONE or _trained(one.folder)
        if why := self.memory.reserve(one.name, RowWork(one.world, NONE if trained else one.method.method, learn)):
            if one.name not in self.reported_waiting:
                self.reported_waiting.add(one.name)
                self.note(f"{one.name} waits for another row to finish: it {why}")
            return False
        self.ran_in_parallel |= {one.name, *names} if names else set()
        return True

    def _report(self, result: RowResult) -> RowResult:
        with self.lock:
            self.active.pop(result.row.name, None)
            self.done += not result.error
        self.on_result(result)
        self._show_progress()
        return result

    def _show_progress(self) -> None:
        with self.lock:
            what = " | ".join(f"{name}: {at}" for name, at in sorted(self.active.items()))
            self.progress(what, self.done, len(self.rows))

    # ---- one row --------------------------------------------------------------------------------------------

    def _run_row(self, one: ExperimentRow) -> RowResult:
        began, alone = time.monotonic(), one.name in self.run_alone
        try:
            self._process(one, self._job(one))
        except RowFailed as failure:
            out_of_memory = isinstance(failure, RowOutOfMemory)
            return RowResult(one, time.monotonic() - began, str(failure), alone=alone, out_of_memory=out_of_memory)
        data = _read_json(one.folder / ROW)
        data |= {"done": data["settings"]} | ({"alone": "it ran out of memory beside other rows"} if alone else {})
        files.write(one.folder / ROW, json.dumps(data, indent=1) + "\n")
        return RowResult(one, time.monotonic() - began, alone=alone)

    def _job(self, one: ExperimentRow) -> RowJob:
        """What is left to do for a row."""
        learn = untrained = None
        model = str(one.folder / MODEL)
        if one.method.method == NONE:
            source = self._source(one)
            untrained = {**to_json(one.method.learn), "model": source}
            # A training takes the name on the hub without the prefix, a run takes it with the prefix.
            model = source if Path(source).is_dir() else f"hf:{source}"
        elif not _trained(one.folder):
            learn = {**to_json(one.method.learn), "model": self._source(one)}
            if self.memory:
                learn["pack_tokens"] = self.memory.pack_tokens(one.name)
        elif not _has_weights(one.folder / MODEL):
            raise RowFailed(
                'its weights were deleted (keep = "none"), so it cannot be evaluated further; choose another --out'
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
        """The model that a row starts from; an error if its weights were deleted."""
        model = self._starting_model(one)
        if one.method.start and not _has_weights(Path(model)):
            raise RowFailed(f"the weights of '{one.method.start}' were deleted; choose another --out")
        return model

    def _starting_model(self, one: ExperimentRow) -> str:
        if one.method.start:
            return str(one.folder.parent / one.method.start / MODEL)
        model = self._model(one.method)
        return str(self.grid.out / BASE) if model == EMBEDDED else model

    def _model(self, method: MethodConfig) -> str:
        return "" if method.start else method.learn.model

    def _unpack_base(self) -> None:
        """Write the embedded model as a folder, for all rows."""
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
        """Run the job in a process, show its progress, and raise its error."""
        error, stage, out_of_memory = "", "", False

        def on_message(message: RowMessage) -> None:
            nonlocal error, stage, out_of_memory
            error, stage = message.get("error", error), message.get("what", stage)
            out_of_memory = message.get("memory", out_of_memory)
            count = f" {message['done']:,}/{message['total']:,}" if "done" in message else ""
            with self.lock:
                self.active[one.name] = f"{stage}{count}"
            self._show_progress()

        log = one.folder / LOG
        start = log.stat().st_size if log.is_file() else 0
        launcher = self.launcher if job.world else self.here
        if status := launcher.run(job, log, on_message):
            failure = RowOutOfMemory if out_of_memory or status == -signal.SIGKILL else RowFailed
            raise failure(error or f"{stage or 'its process'}: {_reason(status, log, start)}")

    # ---- on disk --------------------------------------------------------------------------------------------

    def _settings(self, one: ExperimentRow) -> dict[str, Any]:
        """The settings that decide the results of a row."""
        evaluate = {key: value for key, value in self.grid.evaluate.compared().items() if key not in OF_RUNS}
        return {
            **self._weights(one.method),
            "world": one.world.manifest.fingerprint,
            "evaluate": {**evaluate, "prompts": self.grid.evaluate.prompts},
            "seen": self.grid.seen,
        }

    def _weights(self, method: MethodConfig) -> dict[str, Any]:
        """The settings that decide the weights of a row: its own, and those of the row that it starts from."""
        untrained = method.method == NONE
        return {
            "method": method.method,
            "from": method.start,
            "learn": {"model": method.learn.model} if untrained else method.learn.compared(),
            START: self._weights(self.grid.method(method.start)) if method.start else None,
        }

    def _begin(self, one: ExperimentRow) -> None:
        """Create the row's folder; an error if it was started with other settings."""
        now = json.loads(json.dumps(self._settings(one)))
        if not (one.folder / ROW).is_file() or not any((one.folder / part).exists() for part in (MODEL, RUN)):
            files.make_folder(one.folder)  # it has no results yet, so a mistyped setting can be corrected
            files.write(one.folder / ROW, json.dumps({"format": FORMAT, "settings": now}, indent=1) + "\n")
            return
        data = _read_json(one.folder / ROW)
        data |= {key: _readable(data[key], now) for key in ("settings", "done") if key in data}
        before = data["settings"]
        # The run itself checks what may extend it. An earlier version did not record what a row starts from.
        extending = {"seen", *(f"evaluate.{name}" for name in EXTENDING), *({START} - before.keys())}
        step = "choose another --out, or remove that folder"
        resume.refuse_changes(one.folder, before, now, allowed=lambda key, was, is_now: key in extending, step=step)
        data = {**data, "settings": now}
        files.write(one.folder / ROW, json.dumps(data, indent=1) + "\n")

    def _is_done(self, one: ExperimentRow) -> bool:
        data = _read_json(one.folder / ROW)
        return bool(data.get("done") == data["settings"])

    def _drop_weights(self, results: Mapping[str, RowResult]) -> None:
        """With keep = "none", delete weights that no row needs any more; the records of the training stay."""
        for one in self.rows if self.grid.keep == NONE else []:
            later = [r for r in self.rows if r.folder.parent == one.folder.parent and r.method.start == one.method.name]
            if all(r.name in results and not results[r.name].error for r in [one, *later]):
                for file in (file for pattern in WEIGHTS for file in (one.folder / MODEL).glob(pattern)):
                    file.unlink()

    def _manifest(self) -> dict[str, Any]:
        """What a report needs to know about the experiment."""
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


def _with_next_step(result: RowResult) -> RowResult:
    """Add advice to the error of a row that ran out of memory."""
    if not result.out_of_memory:
        return result
    again = "it failed alone, too: " if result.alone else ""
    step = "set a smaller pack_tokens in [learn] or batch in [evaluate], or run fewer rows in parallel (parallel)"
    return replace(result, error=f"{result.error}; {again}{step}")


def _readable(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a row that its method reads; an earlier version recorded those of all methods."""
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
    """Why a process failed without a message: its last line, or the signal that killed it."""
    if status < 0:
        return f"killed by {signal.Signals(-status).name}; the same command continues; the log is {log}"
    lines = log.read_bytes()[start:].decode("utf-8", "replace").strip().splitlines()
    return f"{lines[-1].strip() if lines else f'exit status {status}'}; the log is {log}"
