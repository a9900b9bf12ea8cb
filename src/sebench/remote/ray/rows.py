"""Rows of an experiment as tasks of a Ray cluster, each with the GPUs that it asks for.

A row is a training and its runs on disk, and another row may begin with its weights. So the folder of the experiment must lie on storage
that all nodes share. That is not assumed: a node which does not see what the command wrote there refuses, and says so. A row whose node dies
is begun again on another one and goes on from what is on disk, as after a kill on one machine; a lock in its folder keeps two nodes apart.

Not covered: moving weights between nodes that share nothing, and more than one node for a row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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
from sebench.remote.ray import worlds
from sebench.remote.ray.on_ray import AUTO, connection, library
from sebench.remote.ray.worlds import WorldRef
from sebench.world.world import World

TOKEN, LOCK, SAID = ".shared", ".row", "row.said.jsonl"
LOOK_S = 0.5  # between two looks at how far a row is


class RayRows:
    """Rows on a cluster."""

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
        """`out`: the experiment's folder. `gpus` of each row: by default one, if the cluster has any."""
        self.ship, self.wait_s = ship, wait_s
        self.out, self.token = out.resolve(), uuid4().hex
        self.running: set[str] = set()  # folders of rows that have said something and have not ended
        self._packed: dict[str, list[Any]] = {}  # worlds in the object store
        with connection(address) as self._connected:
            self.ray = library()
            there = self.ray.cluster_resources()
            self.gpus = min(1.0, there.get("GPU", 0.0)) if gpus is None else gpus
            for name, asked in (("CPU", cpus), ("GPU", self.gpus)):
                if asked > there.get(name, 0.0):
                    raise ConfigError(
                        f"a row asks for {asked:g} {name}s and the cluster has {there.get(name, 0.0):g}; "
                        f"give less with --ray-{name.lower()}s"
                    )
            files.make_folder(self.out)
            files.write(self.out / TOKEN, self.token)
            self._task = self.ray.remote(max_retries=-1, num_cpus=cpus, num_gpus=self.gpus)(_row)

    def parallel(self, wanted: int, rows: int) -> int:
        return max(rows, 1)  # the cluster's resources decide which of them run

    def run(self, job: RowJob, log: Path, hear: Callable[[RowMessage], None]) -> int:
        world = World.load(Path(job.world))
        if job.world not in self._packed:
            self._packed[job.world] = [self.ray.put(worlds.pack(world))] if self.ship else []
        said = log.resolve().with_name(SAID)
        said.unlink(missing_ok=True)
        here = replace(job, folder=str(Path(job.folder).resolve()))
        shared = (str(self.out / TOKEN), self.token)
        ref = self._task.remote(here, str(log.resolve()), WorldRef.of(world), self._packed[job.world], shared)
        heard, asked_at = 0, time.monotonic()
        while not (ready := self.ray.wait([ref], timeout=LOOK_S)[0]):
            heard = self._heard(said, heard, hear)
            if not heard and not self.running and time.monotonic() - asked_at > self.wait_s:
                self.ray.cancel(ref, force=True)
                raise RowFailed(
                    f"the cluster had no room for it in {self.wait_s:g} s; see 'ray status', or --ray-wait-s"
                )
        self._heard(said, heard, hear)
        self.running.discard(str(said))
        said.unlink(missing_ok=True)
        try:
            status, error = self.ray.get(ready[0])
        except self.ray.exceptions.RayError as lost:
            raise RowFailed(f"the cluster lost it: {' '.join(str(lost).split())[:160]}") from None
        if error:
            raise RowFailed(error)
        return int(status)

    def _heard(self, said: Path, heard: int, hear: Callable[[RowMessage], None]) -> int:
        new = [line for _, line in lines(said)]
        for line in new[heard:]:
            hear(line)
        if new:
            self.running.add(str(said))
        return max(heard, len(new))

    def close(self) -> None:
        (self.out / TOKEN).unlink(missing_ok=True)
        if self._connected:
            self._connected = False
            self.ray.shutdown()

    def __enter__(self) -> RayRows:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _row(job: RowJob, log: str, ref: WorldRef, packed: Sequence[Any], shared: tuple[str, str]) -> tuple[int, str]:
    """The task that runs on a node: the exit status of the row's process, or why there was none."""
    try:
        check_shared(Path(shared[0]), shared[1])
        ray = import_module("ray")
        world = worlds.opened(ref, (lambda: bytes(ray.get(packed[0]))) if packed else None)
        with files.lock_file(Path(log).with_name(LOCK), "wait for it", wait=True):
            return in_process(replace(job, world=str(world.path)), Path(log)), ""
    except SebenchError as error:
        return 1, str(error)


def check_shared(file: Path, token: str) -> None:
    """An error where this node does not see what the command wrote."""
    try:
        seen = file.read_text("utf-8")
    except OSError:
        seen = ""
    if seen != token:
        raise ConfigError(
            f"node {node()} does not see {file.parent}: rows share weights through it; choose an --out on storage that all nodes mount"
        )


def in_process(job: RowJob, log: Path) -> int:
    """The row's process; what it says goes to a file beside its log, which the command reads."""
    with Ledger(log.with_name(SAID)) as ledger:
        return LocalProcesses().run(job, log, lambda said: ledger.add(said))
