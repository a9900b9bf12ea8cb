"""The judge on a Ray cluster: each batch is a stateless task that Ray can retry, and every worker process caches a
judge.

    with judge_on_ray(7) as judge:                       # or judge_on_ray(7, "10.0.0.1:6379")
        for verdict in judge.judge_many(pairs): ...

A task reserves `cpus` CPUs, and its judge has as many sandboxes, so a node judges as many batches at a time as its CPUs
allow. If the program is already connected to Ray, that connection is used and left open.

Not covered: starting a cluster on other machines (`ray start`, KubeRay), and serving models.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.base import versions
from sebench.base.errors import ConfigError, JudgeUnavailable
from sebench.base.records import Task, Verdict
from sebench.base.wording import counted
from sebench.judge.interface import AnyJudge
from sebench.judge.judge import SHARE
from sebench.remote.ray import node
from sebench.remote.ray.batches import (
    AHEAD,
    BATCH,
    Batch,
    BatchAnswer,
    BatchLost,
    BatchReport,
    Dispatcher,
    leave_out,
)
from sebench.remote.ray.node import Assignment, WorldRef
from sebench.values.equality import Profile
from sebench.version import __version__
from sebench.world.world import World

AUTO, LOCAL = "auto", "local"
CONNECT_S = 5.0
LOOK_S = 5.0  # between checks of the nodes; a check takes a few milliseconds
PROBE_S = 60.0  # how long to wait for busy nodes before the first batch
NODE_LABEL = "ray.io/node-id"

Note = Callable[[str], None]


def library() -> Any:
    """Import Ray; raise an error if it is missing, or in an untested version."""
    versions.require(versions.RAY, "--backend ray")
    return import_module("ray")


def connect(address: str = AUTO) -> Callable[[], None]:
    """Connect to a cluster; return a function that closes the connection, or does nothing if the program was connected
    already. "local" starts a cluster on this machine."""
    ray = library()
    if ray.is_initialized():
        return lambda: None
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address == LOCAL:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            quiet["include_dashboard"] = False
        else:
            _reachable(address)
        ray.init(address=address, **quiet)  # without an address, Ray would join any cluster it finds
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise ConfigError(_no_cluster(address, str(error))) from None
    close: Callable[[], None] = ray.shutdown
    return close


def _reachable(address: str) -> None:
    """Raise an error if nothing listens at this address; Ray itself would try for a minute, then end the process."""
    if address == AUTO:
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in address:
        raise ConfigError(f"--ray-address {address!r}: use HOST:PORT of the head node, auto, or local")
    try:
        socket.create_connection((host, int(port)), CONNECT_S).close()
    except OSError as error:
        raise ConfigError(_no_cluster(address, error.strerror or str(error))) from None


def _no_cluster(address: str, why: str) -> str:
    line = " ".join(why.split())[:160]
    return (
        f"no Ray cluster at {address} ({line}); start one with 'ray start --head' and join nodes with 'ray start "
        "--address HEAD:6379', or try --ray-address local"
    )


def judge_on_ray(world: World | str | int | Path, address: str = AUTO, **settings: Any) -> RayJudge:
    """Return a judge on a Ray cluster, for a world named by folder or seed; `settings` are those of `RayJudge`."""
    return RayJudge(World.open(world), address, **settings)


class RayJudge(AnyJudge):
    """Judges answers for one world on a cluster."""

    def __init__(
        self,
        world: World,
        address: str = AUTO,
        *,
        profile: str = Profile.STRICT,
        share: int = SHARE,
        cpus: int = 1,
        ship: bool = True,
        wait_s: float = 300.0,
        note: Note = lambda line: None,
    ) -> None:
        """`cpus`: CPUs per task. `ship`: send the world to nodes that do not have it. `wait_s`: give up after this many
        seconds without a result. `note` is called with a message about each excluded node."""
        if profile not in list(Profile):
            raise ConfigError(f"profile {profile!r}: choose from {', '.join(Profile)}")
        self.world, self.profile, self.wait_s, self._note = world, profile, wait_s, note
        assignment = Assignment(WorldRef.of(world), str(profile), node.versions(), share)
        with ExitStack() as stack:
            stack.callback(connect(address))
            self.cluster = RayCluster(assignment, node.pack_world(world) if ship else None, cpus)
            self._connection = stack.pop_all()
        self._dispatcher = Dispatcher(self.cluster, patience_s=wait_s, batch=BATCH, note=note)

    @property
    def ahead(self) -> int:
        return (AHEAD + 1) * BATCH * max(self.cluster.places(), 1)

    @property
    def state(self) -> str:
        again = f", {counted(self._dispatcher.lost, 'batch', 'batches')} sent again" if self._dispatcher.lost else ""
        return f"{counted(len(self.cluster.nodes.places()), 'node')}, {counted(self.cluster.places(), 'slot')}{again}"

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        if isinstance(task, str) or self.world.owns(task):
            name = self.world.task(task).id if isinstance(task, str) else task.id
            return self._dispatcher.submit(BatchAnswer(name, response, native))
        digest, packed = node.pack_task(task)
        return self._dispatcher.submit(BatchAnswer(digest, response, native), packed)

    def missing_layers(self, required: bool = False) -> list[str]:
        """Return the isolation layers that are missing on some node. From now on, nodes that lack any other layer are
        excluded, including nodes that join later."""
        reports = self.cluster.probe(self.wait_s)
        missing = sorted({layer for report in reports for layer in report.missing})
        for report in reports:
            why = report.refused
            if required and report.missing:
                layers = ", ".join(report.missing)
                why = f"node {report.name}: these isolation layers are missing: {layers}; run 'sebench doctor' on it"
            if why:
                leave_out(self.cluster, report.node, why, self._note)
        allowed = () if required else tuple(missing)
        self.cluster.assignment = replace(self.cluster.assignment, layers_may_miss=allowed)
        return list(allowed)

    def close(self) -> None:
        self._dispatcher.close()
        self._connection.close()


class Nodes:
    """The usable nodes of a cluster: alive, with CPUs, and not excluded."""

    def __init__(self, cpus: int = 1) -> None:
        """`cpus`: CPUs per task."""
        self.ray, self.cpus = library(), cpus
        self.left_out: set[str] = set()
        self._places_by_node: dict[str, int] = {}
        self._looked = float("-inf")

    def places(self) -> dict[str, int]:
        """Return how many tasks each node can run at a time, as of a few seconds ago."""
        if time.monotonic() - self._looked > LOOK_S:
            self._looked = time.monotonic()
            self._places_by_node = {
                one["NodeID"]: places
                for one in self.ray.nodes()
                if one["Alive"] and one["NodeID"] not in self.left_out
                if (places := int(one["Resources"].get("CPU", 0)) // self.cpus)
            }
        return self._places_by_node

    def leave_out(self, node: str) -> None:
        self.left_out.add(node)
        self._looked = float("-inf")

    def describe_load(self) -> str:
        """Describe the total and free CPUs."""
        free, there = self.ray.available_resources(), self.ray.cluster_resources()
        return f"{free.get('CPU', 0):g} of its {there.get('CPU', 0):g} CPUs are free"


class RayCluster:
    """Runs batches as Ray tasks."""

    def __init__(self, assignment: Assignment, packed: bytes | None, cpus: int = 1) -> None:
        self.ray, self.assignment, self.cpus = library(), assignment, cpus
        self.nodes = Nodes(cpus)
        self.describe_load = self.nodes.describe_load
        # The reference is in a list, so that Ray fetches the world only where it is needed.
        self._packed = [self.ray.put(packed)] if packed is not None else []
        self._function = self.ray.remote(max_retries=-1, num_cpus=cpus)(_judge_on_node)
        self._task = self._function
        self._refs: dict[Any, int] = {}

    def places(self) -> int:
        return sum(self.nodes.places().values())

    def send(self, batch: Batch) -> None:
        self._refs[self._task.remote(self.assignment, batch, self._packed)] = batch.number

    def poll(self, wait_s: float) -> Sequence[tuple[int, BatchReport | Exception]]:
        if not self._refs:
            time.sleep(wait_s)
            return []
        under_way = list(self._refs)
        self.ray.wait(under_way, num_returns=1, timeout=wait_s)
        ready, _ = self.ray.wait(under_way, num_returns=len(under_way), timeout=0)
        return [(self._refs.pop(ref), self._report(ref)) for ref in ready]

    def probe(self, wait_s: float) -> list[BatchReport]:
        """Ask the nodes for reports before the first batch; nodes that stay busy report with their first batch."""
        affinity = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        empty = Batch(0, (), {})
        refs = [
            self._function.options(scheduling_strategy=affinity(one, soft=False), max_retries=0).remote(
                self.assignment, empty, self._packed
            )
            for one in self.nodes.places()
        ]
        ready = self.ray.wait(refs, num_returns=len(refs), timeout=min(PROBE_S, wait_s))[0] if refs else []
        if refs and not ready:
            ready = self.ray.wait(refs, num_returns=1, timeout=max(wait_s - PROBE_S, 0.01))[0]
        for ref in set(refs) - set(ready):
            self.ray.cancel(ref)
        replies = [self._report(ref) for ref in ready]
        for one in replies:
            if isinstance(one, Exception) and not isinstance(one, BatchLost):
                raise one
        reports = [one for one in replies if isinstance(one, BatchReport)]
        if not reports:
            raise JudgeUnavailable(
                f"no node of the Ray cluster had {counted(self.cpus, 'free CPU')} within {wait_s:g} s "
                f"({self.describe_load()}); free or add CPUs, or wait longer with --ray-wait-s"
            )
        return reports

    def leave_out(self, node: str) -> None:
        self.nodes.leave_out(node)
        named = ",".join(sorted(self.nodes.left_out))
        self._task = self._function.options(label_selector={NODE_LABEL: f"!in({named})"})

    def _report(self, ref: Any) -> BatchReport | Exception:
        faults = self.ray.exceptions
        try:
            report: BatchReport = self.ray.get(ref)
            return report
        except faults.RayTaskError as error:
            return cause_of(error)
        except faults.RayError as error:
            return BatchLost(f"{type(error).__name__}: {' '.join(str(error).split())[:160]}")


def cause_of(error: Any) -> Exception:
    """Return the exception that sebench raised on a node, even while it was being imported there."""
    if "No module named 'sebench" in str(error):
        missing = f"a node in the cluster has no sebench {__version__}"
        return ConfigError(f"{missing}; on every node: {versions.RAY.install}")
    return error.cause if isinstance(error.cause, Exception) else Exception(str(error))


def _judge_on_node(assignment: Assignment, batch: Batch, packed: Sequence[Any]) -> BatchReport:
    """Judge a batch on a node (the Ray task)."""
    ray = import_module("ray")
    context = ray.get_runtime_context()
    workers = max(int(context.get_assigned_resources().get("CPU", 1)), 1)
    fetch = (lambda: bytes(ray.get(packed[0]))) if packed else None
    return node.judge_batch(assignment, batch, context.get_node_id(), workers, fetch)
