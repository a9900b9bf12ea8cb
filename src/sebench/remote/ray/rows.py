"""Runs the rows of an experiment (one method in one world each) as Ray tasks, each with its own GPUs.

A row leaves a training run and test runs on disk, and another row may start from its weights, so the folder of the
experiment must be on storage that all nodes share. This is checked: a node that does not see the command's files there
refuses the row. If its node dies, a row is restarted on another node and resumes from disk, as after a kill on one
machine; a lock in its folder keeps two nodes from running it at once.

Not covered: moving weights between nodes without shared storage, and rows that span several nodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from platform import node
from typing import Any
from uuid import uuid4

from sebench.base import files
from sebench.base.errors import ConfigError, SebenchError
from sebench.base.ledger import Ledger, lines
from sebench.experiment.processes import LocalProcesses, RowFailed, RowMessage
from sebench.experiment.row import RowJob
from sebench.remote.ray.node import WorldRef, open_world, pack_world
from sebench.remote.ray.on_ray import AUTO, connect, library
from sebench.world.world import World

TOKEN, LOCK, PROGRESS = ".shared", ".row", "row.said.jsonl"
LOOK_S = 0.5  # between checks of a row's progress


class RayRows:
    """Runs rows on a cluster."""

    def __init__(
        self,
        out: Path,
        address: str = AUTO,
        *,
        cpus: int = 1,
        gpus: float | None = None,
        ship: bool = True,
        wait_s: float = 300.0,
    ) -> None:
        """`out`: the experiment's folder. `gpus`: GPUs per row; by default one, if the cluster has any."""
        self.ship, self.wait_s = ship, wait_s
        self.out, self.token = out.resolve(), uuid4().hex
        self.running: set[str] = set()  # progress files of rows that have started but not ended
        self._stopped = False
        self._packed: dict[str, list[Any]] = {}  # references to worlds in the object store
        with ExitStack() as stack:
            stack.callback(connect(address))
            self.ray = library()
            there = self.ray.cluster_resources()
            self.gpus = min(1.0, there.get("GPU", 0.0)) if gpus is None else gpus
            for name, requested in (("CPU", cpus), ("GPU", self.gpus)):
                if requested > there.get(name, 0.0):
                    raise ConfigError(
                        f"each row needs {requested:g} {name}{'' if requested == 1 else 's'}, but the cluster has "
                        f"{there.get(name, 0.0):g}; lower --ray-{name.lower()}s"
                    )
            files.make_folder(self.out)
            files.write(self.out / TOKEN, self.token)
            self._task = self.ray.remote(max_retries=-1, num_cpus=cpus, num_gpus=self.gpus)(_row)
            self._connection = stack.pop_all()

    def run(self, job: RowJob, log: Path, hear: Callable[[RowMessage], None]) -> int:
        world = World.load(Path(job.world))
        if job.world not in self._packed:
            self._packed[job.world] = [self.ray.put(pack_world(world))] if self.ship else []
        progress = log.resolve().with_name(PROGRESS)
        progress.unlink(missing_ok=True)
        here = replace(job, folder=str(Path(job.folder).resolve()))
        shared = (str(self.out / TOKEN), self.token)
        task = self._task.options(num_gpus=job.gpus) if job.gpus else self._task
        ref = task.remote(here, str(log.resolve()), WorldRef.of(world), self._packed[job.world], shared)
        heard, asked_at = 0, time.monotonic()
        while not (ready := self.ray.wait([ref], timeout=LOOK_S)[0]):
            heard = self._relay(progress, heard, hear)
            if self._stopped:
                self.ray.cancel(ref, force=True)
                raise RowFailed("stopped")
            if not heard and not self.running and time.monotonic() - asked_at > self.wait_s:
                self.ray.cancel(ref, force=True)
                raise RowFailed(
                    f"the cluster had no free resources for this row within {self.wait_s:g} s; see 'ray status', or "
                    "raise --ray-wait-s"
                )
        self._relay(progress, heard, hear)
        self.running.discard(str(progress))
        progress.unlink(missing_ok=True)
        try:
            status, error = self.ray.get(ready[0])
        except self.ray.exceptions.RayError as lost:
            raise RowFailed(f"Ray lost the process running this row: {' '.join(str(lost).split())[:160]}") from None
        if error:
            raise RowFailed(error)
        return int(status)

    def stop(self) -> None:
        self._stopped = True

    def _relay(self, progress: Path, heard: int, hear: Callable[[RowMessage], None]) -> int:
        new = [line for _, line in lines(progress)]
        for line in new[heard:]:
            hear(line)
        if new:
            self.running.add(str(progress))
        return max(heard, len(new))

    def close(self) -> None:
        (self.out / TOKEN).unlink(missing_ok=True)
        self._connection.close()

    def __enter__(self) -> RayRows:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _row(job: RowJob, log: str, ref: WorldRef, packed: Sequence[Any], shared: tuple[str, str]) -> tuple[int, str]:
    """Run a row on a node (the Ray task); return the exit status of its process, or why there was none."""
    try:
        check_shared(Path(shared[0]), shared[1])
        ray = import_module("ray")
        world = open_world(ref, (lambda: bytes(ray.get(packed[0]))) if packed else None)
        with files.lock_file(Path(log).with_name(LOCK), "wait for it", wait=True):
            return in_process(replace(job, world=str(world.path)), Path(log)), ""
    except SebenchError as error:
        return 1, str(error)


def check_shared(file: Path, token: str) -> None:
    """Raise an error if this node does not see the command's files."""
    try:
        seen = file.read_text("utf-8")
    except OSError:
        seen = ""
    if seen != token:
        raise ConfigError(
            f"node {node()} cannot see {file.parent}, where rows share their weights; choose an --out on storage that "
            "all nodes mount"
        )


def in_process(job: RowJob, log: Path) -> int:
    """Run the row's process; its messages go to a file next to its log, which the command reads."""
    with Ledger(log.with_name(PROGRESS)) as ledger:
        return LocalProcesses().run(job, log, lambda event: ledger.add(event))
