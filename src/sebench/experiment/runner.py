"""Runs the grid of an experiment: trains and evaluates every method in every world. A row is one method in one world;
finished rows are not repeated.

    OUT/experiment.json          the rows and the baseline
    OUT/worlds/                  worlds built for it
    OUT/base/                    the embedded model as an ordinary folder
    OUT/WORLD/NAME/row.json      settings of a row, and whether it is done
    OUT/WORLD/NAME/model/        the trained model with learn.json, log.jsonl, probes.jsonl
    OUT/WORLD/NAME/memory/       the memory, if the method writes one
    OUT/WORLD/NAME/play/         the rounds of self-play, if the method is self-play; model/ is a link to the last one's
    OUT/WORLD/NAME/run/, seen/   ordinary runs: the evaluation, and training questions asked again
    OUT/WORLD/NAME/row.log       output of the row's processes; server.log: output of its vLLM servers
    OUT/WORLD/answers/run/       the model's own answers to training tasks, for all rows that learn from them ("answers
                                 of NAME" has those of the model that the row NAME trained)
    OUT/WORLD/selfplay/play/     a self-play run, likewise
    OUT/stages/ROW/              the same for a row of a stream, with a run-NAME and probes-NAME.json for every world
                                 that it is tested on

Each row is a process (`row.py`). Rows have GPUs of their own, or share one if there is enough memory (`resources.py`).
A row that runs out of memory in parallel with others is retried once, alone. If a row fails, one line reports it, and
the others continue. The same command resumes an experiment; a row whose settings have changed is refused, and the error
names the change. More splits, books, tasks or samples extend an evaluation.

Rows run on this machine, or on a cluster with shared storage (`launcher`, docs/scale.md).

Not covered: a row on several machines.
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
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sebench.base import files, resume
from sebench.base.errors import ConfigError, SebenchError
from sebench.base.records import SCRIPTED
from sebench.base.settings import to_json
from sebench.base.wording import counted
from sebench.experiment.grid import Grid
from sebench.experiment.method import ANSWERS, MethodConfig, loaded_as
from sebench.experiment.processes import LocalProcesses, RowFailed, RowLauncher, RowMessage, RowOutOfMemory
from sebench.experiment.resources import DevicePool, MemoryBudget, visible_gpus
from sebench.experiment.row import MEMORY, MODEL, RowJob, WorldToTest
from sebench.experiment.row_files import ExperimentRow, drop_weights, has_weights, manifest
from sebench.models import checkpoints, gguf, transformers, vllm
from sebench.models.checkpoints import EMBEDDED
from sebench.rollout import models
from sebench.selfplay.steps import check_writers
from sebench.train import dry_run, methods
from sebench.train.config import NONE, TrainConfig
from sebench.train.loop.plan import GIB, Gpu
from sebench.world.build import Progress, Slice
from sebench.world.prompts import check_templates
from sebench.world.world import World, folder_of

MANIFEST, LOG = "experiment.json", "row.log"
BASE, STAGES = "base", "stages"
WEIGHTS_DELETED = 'its weights were deleted (keep = "none"), so it cannot be evaluated further; choose another --out'


@dataclass(frozen=True)
class RowResult:
    """How a row ended."""

    row: ExperimentRow
    seconds: float
    error: str = ""  # "" if it is done
    skipped: bool = False  # it was done before this call
    alone: bool = False  # it ran out of memory in parallel with others, and was retried alone
    out_of_memory: bool = False


def check(grid: Grid, here: bool) -> None:
    """Refuse what cannot be trained or evaluated, before worlds are built. `here` says whether the rows run on this
    machine."""
    for method in grid.methods:
        method.evaluate.compared()  # reads the files that settings name
        check_templates(method.evaluate.prompts)
    if not here or (grid.out / MANIFEST).is_file():
        return  # finished rows can be compared on a machine that cannot load models
    check_models(grid)
    if grid.serve is not None:
        vllm.check_installed()
    for method in grid.rows:
        if method.learns_by != NONE:
            methods.check(method.learns_by, method.plannable)
        elif grid.serve is not None:
            continue
        elif method.learn.model == EMBEDDED or gguf.weights_file(method.learn.model):
            transformers.libraries()
        else:
            models.check(replace(method.evaluate, model=loaded_as(method.learn.model)))


def check_models(grid: Grid) -> None:
    """Refuse models that `check` would refuse for their names. This needs neither weights nor libraries."""
    if (grid.out / MANIFEST).is_file():
        return
    for method in grid.rows:
        name = method.learn.model
        if name in SCRIPTED:
            raise ConfigError(f"model = {name!r}: a scripted model only answers in 'sebench run'; choose another model")
        if method.learns_by != NONE:
            checkpoints.check_source(name)
        elif grid.serve is None and name != EMBEDDED and not gguf.weights_file(name):
            models.check_name(replace(method.evaluate, model=loaded_as(name)))
        if method.play and grid.serve is None:
            check_writers(method.play, models.check_name)


def refuse_foreign(grid: Grid) -> None:
    """Refuse to write into a folder with something other than this experiment."""
    rows = (STAGES, *(Path(name).name for name in grid.worlds))  # their folders
    resume.refuse_foreign(grid.out, MANIFEST, "experiment", ("worlds", *rows))


def check_rows(grid: Grid, worlds: Mapping[str, World]) -> None:
    """Refuse rows in these worlds that were started with other settings."""
    for row in _rows(grid, worlds):
        row.check(grid)


def built_worlds(grid: Grid) -> dict[str, World]:
    """Return the worlds of the grid that are on disk."""
    folders = {name: grid.world_folder(name) or folder_of(name) for name in grid.worlds}
    return {name: World.load(folder) for name, folder in folders.items() if folder.is_dir()}


def open_worlds(grid: Grid, progress: Progress) -> list[World]:
    """Return the worlds of the grid, and build those that are missing. Those given by folder are opened first, since
    they may not exist."""
    by_name = {name: _world(grid, name, progress) for name in sorted(grid.worlds, key=str.isdecimal)}
    return [by_name[name] for name in grid.worlds]


def _world(grid: Grid, name: str, progress: Progress) -> World:
    if not (folder := grid.world_folder(name)):
        return World.open(name, progress)
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
        # If rows have GPUs of their own, the number of GPUs limits how many rows run at a time.
        own_gpus = any(_gpus(method) for method in grid.methods)
        self.parallel = grid.parallel or (len(grid.methods) if own_gpus else 1)
        self.here = LocalProcesses(self.parallel)
        self.launcher = launcher or self.here
        # On a cluster, the cluster decides what runs where; a single row at a time needs no check.
        self.local = isinstance(self.launcher, LocalProcesses)
        self.memory = MemoryBudget(self.parallel) if self.local and self.parallel > 1 else None
        self.devices = DevicePool(())
        self.ran_in_parallel: set[str] = set()
        self.run_alone: set[str] = set()  # rows that ran out of memory in parallel with others
        self.reported_waiting: set[str] = set()  # rows whose wait for memory has been reported
        self.rows = list(_rows(grid, dict(zip(grid.worlds, worlds, strict=True))))
        self.active: dict[str, str] = {}  # the progress of each running row
        self.done = 0
        self.lock = threading.Lock()
        least = [m.learn.per_function for m in grid.methods if m.learn.per_function]
        self.per_function = min(least, default=0)

    def run(self) -> list[RowResult]:
        """Run every row, and return the results in the order of the grid."""
        with files.lock(self.grid.out):
            for one in self.rows:
                one.begin(self.grid)
            files.write(self.grid.out / MANIFEST, json.dumps(manifest(self.grid, self.rows), indent=1) + "\n")
            unfinished = [one for one in self.rows if not one.is_done]
            self._find_devices(unfinished)
            if any(one.method.learn.model == EMBEDDED for one in unfinished if not one.method.start):
                self._unpack_base()
            results = {one.name: RowResult(one, 0.0, skipped=True) for one in self.rows if one not in unfinished}
            self.done = len(results)
            self._work(unfinished, results)
            if self.grid.keep == NONE and not any(result.error for result in results.values()):
                shutil.rmtree(self.grid.out / BASE, ignore_errors=True)
        return [results[one.name] for one in self.rows]

    # ---- order ----------------------------------------------------------------------------------------------

    def _work(self, unfinished: Sequence[ExperimentRow], results: dict[str, RowResult]) -> None:
        """Run rows in parallel as memory allows, each after the rows that it depends on, and add their results to
        `results`."""
        waiting = list(unfinished)
        # On a cluster, its resources limit how many rows run at a time.
        parallel = self.parallel if self.local else max(len(unfinished), 1)
        with ThreadPoolExecutor(parallel) as pool, self._end_rows_if_interrupted():
            running: dict[Future[RowResult], ExperimentRow] = {}
            while waiting or running:
                if self.memory:
                    self.memory.refresh()
                for one in list(waiting):
                    before = {name: f"{one.folder.parent.name}/{name}" for name in one.method.after}
                    if not {r.name for r in [*waiting, *running.values()]}.isdisjoint(before.values()):
                        continue
                    if failed := [name for name, row in before.items() if row in results and results[row].error]:
                        waiting.remove(one)
                        results[one.name] = self._report(RowResult(one, 0.0, f"'{failed[0]}' did not finish"))
                    elif len(running) < parallel and self._may_start(one, list(running.values())):
                        waiting.remove(one)
                        running[pool.submit(self._run_row, one)] = one
                if running:
                    ready, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ready:
                        one, result = running.pop(future), future.result()
                        self.devices.release(one.name)
                        if self.memory:
                            self.memory.release(one.name)
                        if result.out_of_memory and one.name in self.ran_in_parallel - self.run_alone:
                            self.run_alone.add(one.name)
                            self.note(f"{one.name}: {result.error}; it will be retried when no other row is running")
                            waiting.append(one)
                        else:
                            results[one.name] = self._report(_with_next_step(result))
                if self.grid.keep == NONE:
                    drop_weights(self.grid, self.rows, {name for name, result in results.items() if not result.error})

    @contextmanager
    def _end_rows_if_interrupted(self) -> Iterator[None]:
        """End the running rows if the block fails. A signal to this process alone does not reach theirs."""
        try:
            yield
        except BaseException:
            for launcher in (self.here, self.launcher):
                launcher.stop()
            raise

    def _may_start(self, one: ExperimentRow, running: Sequence[ExperimentRow]) -> bool:
        """Whether a row may start now; always if no other row is running."""
        names = {other.name for other in running}
        if not self.local:
            return True
        if running and (one.name in self.run_alone or names & self.run_alone):
            return False
        if why := self._reserve(one):
            if one.name not in self.reported_waiting:
                self.reported_waiting.add(one.name)
                self.note(f"{one.name} waits for another row to finish: it {why}")
            return False
        self.ran_in_parallel |= {one.name, *names} if names else set()
        return True

    def _reserve(self, one: ExperimentRow) -> str:
        """Reserve GPUs or memory for a row; if there is too little, return why it has to wait."""
        if gpus := _gpus(one.method):
            free = len(self.devices.free)
            why = f"needs {counted(gpus, 'GPU')}, but only {counted(free, 'is', 'are')} free"
            return "" if self.devices.take(one.name, gpus) else why
        if self.memory is None:
            return ""
        learn = replace(one.method.plannable, model=self._starting_model(one))
        return self.memory.reserve(one.name, one.world, NONE if one.is_trained else one.method.learns_by, learn)

    def _find_devices(self, rows: Sequence[ExperimentRow]) -> None:
        """Find the GPUs for the rows; raise an error if there are too few, or if a training run cannot fit on them."""
        most = max((_gpus(one.method) for one in rows), default=0)
        if not self.local or not most:
            return
        self.devices = DevicePool(visible_gpus())
        if most > len(self.devices.devices):
            row = next(one for one in rows if _gpus(one.method) == most)
            raise ConfigError(
                f"{row.name} needs {counted(most, 'GPU')}, but this machine has {len(self.devices.devices)}; "
                f"lower gpus in {self.grid.file}"
            )
        if (gpu := Gpu.measure()) is not None:
            for one in rows:
                self._check_fits(one, gpu)

    def _check_fits(self, one: ExperimentRow, gpu: Gpu) -> None:
        """Raise an error if a training run needs more memory than its GPUs have, even with the smallest packs."""
        method, processes = one.method, self.grid.processes(one.method)
        if method.learns_by == NONE or one.is_trained:
            return
        try:
            learn = replace(method.plannable, model=self.grid.root(method).learn.model, pack_tokens=1)
            plan = dry_run.dry_run(one.world, method.learns_by, learn, processes, gpu, tokenizer=False)
        except SebenchError:
            return  # no plan, or an error that the row itself reports better
        if not plan.fits:
            need, there = plan.memory / GIB, plan.capacity / GIB
            raise ConfigError(
                f"{one.name} does not fit: it needs about {need:.0f} GiB on each of {counted(processes, 'GPU')}, but "
                f"each has only {there:.0f} GiB; raise gpus, or set checkpointing or lora in {self.grid.file}"
            )

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
            self.progress(what or "rows", self.done, len(self.rows))

    # ---- one row --------------------------------------------------------------------------------------------

    def _run_row(self, one: ExperimentRow) -> RowResult:
        began, alone = time.monotonic(), one.name in self.run_alone
        try:
            self._process(one, self._job(one))
        except RowFailed as failure:
            out_of_memory = isinstance(failure, RowOutOfMemory)
            return RowResult(one, time.monotonic() - began, str(failure), alone=alone, out_of_memory=out_of_memory)
        one.finish(alone)
        return RowResult(one, time.monotonic() - began, alone=alone)

    def _job(self, one: ExperimentRow) -> RowJob:
        """Return the job that completes a row."""
        learn = untrained = None
        method, served = one.method, self.grid.serve is not None
        model = str(one.folder / MODEL)
        if method.play and one.is_trained and not has_weights(one.folder / MODEL):
            raise RowFailed(WEIGHTS_DELETED)
        if not method.trains:
            source = self._source(one)
            probed_once = method.is_untrained and not served and not method.stage
            untrained = {**to_json(method.learn), "model": source} if probed_once else None
            model = source if served else loaded_as(source)
        elif not one.is_trained:
            learn = {**to_json(method.learn), "model": self._source(one)}
            if method.needs:
                learn["examples"] = one.examples(self.grid)
            if method.stage:
                learn["probe_worlds"] = [
                    str(world.path) for world in one.test_worlds.values() if world is not one.world
                ]
            if self.memory and not _gpus(method):
                learn["pack_tokens"] = self.memory.pack_tokens(one.name)
        elif not has_weights(one.folder / MODEL):
            raise RowFailed(WEIGHTS_DELETED)
        return RowJob(
            folder=str(one.folder),
            world=str(one.world.path),
            method=method.method,
            learn=learn,
            untrained=untrained,
            probed=None
            if served or not method.stage
            else _probed(method, self._source(one) if not method.trains else model),
            play=self._play(one, model) if method.play else None,
            study={**to_json(method.study), "model": method.study.model and model} if method.study else None,
            memory=str(one.folder.parent / method.memory / MEMORY) if method.memory else "",
            evaluate={**to_json(method.evaluate), "model": model} if method.is_compared or not method.play else None,
            test_worlds=self._test_worlds(one),
            replay_worlds={name: str(world.path) for name, world in one.replay_worlds.items()},
            replay_share=method.stage.replay_share if method.stage else 0.0,
            seen=0 if method.method == ANSWERS else self.grid.seen,
            per_function=self.per_function,
            serve=to_json(self.grid.serve) if self.grid.serve else None,
            gpus=_gpus(method),
            devices=self.devices.of(one.name),
            processes=self.grid.processes(method),
            sampling_gpus=self.grid.sampling_gpus(method) if _gpus(method) else 0,
            accelerate=str(self.grid.accelerate.resolve()),
        )

    def _play(self, one: ExperimentRow, model: str) -> dict[str, Any]:
        play = one.play(self.grid, model)
        if self.memory and not _gpus(one.method):
            play["learn"] = [*play["learn"], f"pack_tokens={self.memory.pack_tokens(one.name)}"]
        return play

    def _test_worlds(self, one: ExperimentRow) -> dict[str, WorldToTest]:
        """Return the worlds of a stream that a row is tested on. If the method writes memories, each world comes with
        the last one written for it."""
        to_test: dict[str, WorldToTest] = {name: {"world": str(world.path)} for name, world in one.test_worlds.items()}
        if one.method.study and (here := one.method.stage):
            for other in self.rows:
                stage = other.method.stage
                if stage and stage.method == here.method and stage.number <= here.number:
                    to_test[stage.world]["memory"] = str(other.folder / MEMORY)
        return to_test

    def _source(self, one: ExperimentRow) -> str:
        """Return the model that a row starts from; raise an error if its weights were deleted."""
        model, start = self._starting_model(one), self._start(one)
        if start and not has_weights(Path(model)):
            why = 'they were deleted (keep = "none"), or its rounds of self-play had nothing to learn from'
            raise RowFailed(f"there are no weights of '{start}': {why}; choose another --out")
        return model

    def _start(self, one: ExperimentRow) -> str:
        """Return the name of the row whose weights a row starts from. Rounds of self-play that continue others train
        from what those trained from."""
        return (self.grid.first_rounds(one.method) if one.method.play else one.method).start

    def _starting_model(self, one: ExperimentRow) -> str:
        if start := self._start(one):
            return str(one.folder.parent / start / MODEL)
        model = self.grid.root(one.method).learn.model
        return str(self.grid.out / BASE) if model == EMBEDDED else model

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


def _rows(grid: Grid, worlds: Mapping[str, World]) -> Iterator[ExperimentRow]:
    """Yield every method in each of these worlds; in a stream, each stage that needs no others."""
    by_name = {Path(name).name: world for name, world in worlds.items()}
    methods = grid.rows
    for name, world in by_name.items():
        for method in (method for method in methods if method.stage is None):
            yield ExperimentRow(world, method, grid.out / name / method.name)
    for method in methods:
        stage = method.stage
        if stage and {stage.world, *stage.test_worlds, *stage.replay_worlds} <= by_name.keys():
            test, replay = ({one: by_name[one] for one in names} for names in (stage.test_worlds, stage.replay_worlds))
            yield ExperimentRow(by_name[stage.world], method, grid.out / STAGES / method.name, test, replay)


def _gpus(method: MethodConfig) -> int:
    """Return the number of GPUs reserved for a row; 0 on a CPU, even if the file asks for some."""
    return 0 if method.learn.device == "cpu" else method.gpus


def _probed(method: MethodConfig, model: str) -> dict[str, Any] | None:
    """Return the settings with which a stream probes a model in every world, or None if nothing is to be probed."""
    if method.study or method.learn.probe_every < 0:
        return None
    everything = to_json(method.learn)
    return {**{one.name: everything[one.name] for one in fields(TrainConfig)}, "model": model}


def _with_next_step(result: RowResult) -> RowResult:
    """Add advice to the error of a row that ran out of memory."""
    if not result.out_of_memory:
        return result
    again = "it also failed alone: " if result.alone else ""
    step = "set a smaller pack_tokens in [learn] or batch in [evaluate], or run fewer rows in parallel (parallel)"
    return replace(result, error=f"{result.error}; {again}{step}")


def _reason(status: int, log: Path, start: int) -> str:
    """Return why a process that sent no message failed: its last line, or the signal that killed it."""
    if status < 0:
        return f"killed by {signal.Signals(-status).name}; run the same command again to resume; the log is {log}"
    lines = log.read_bytes()[start:].decode("utf-8", "replace").strip().splitlines()
    return f"{lines[-1].strip() if lines else f'exit status {status}'}; the log is {log}"
