"""Handles a batch on a node: opens the world, keeps a judge for the life of the worker process, judges, and reports.

A node that cannot judge reports why: another version of sebench or NumPy, no world, or missing isolation layers. Only
the judge and the received tasks are kept between batches; a batch may be judged again on any node.

Not covered: Ray (`on_ray.py` calls this), and which node judges what.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pickle import dumps, loads

import numpy

from sebench.base.errors import ConfigError, SandboxFault, SebenchError
from sebench.base.records import Task
from sebench.judge.judge import SHARE, Judge, judge_for
from sebench.remote.ray import worlds
from sebench.remote.ray.batches import Batch, BatchReport
from sebench.remote.ray.worlds import WorldRef
from sebench.version import __version__

KEPT_TASKS = 4096  # received tasks, so that a task need not be sent again with its other samples
STARTS = 3  # attempts to start a sandbox before its node is excluded


def versions() -> tuple[tuple[str, str], ...]:
    """Return the versions that must match on every node, so that no verdict depends on the node."""
    return ("sebench", __version__), ("NumPy", numpy.__version__)


@dataclass(frozen=True)
class Assignment:
    """The settings that all batches of a judge share."""

    world: WorldRef
    profile: str
    versions: tuple[tuple[str, str], ...]
    share: int = SHARE
    layers_may_miss: tuple[str, ...] | None = None  # isolation layers that may be missing; None: any


_judges: dict[tuple[Assignment, int], Judge] = {}
_tasks: dict[str, Task] = {}


def judge_batch(
    assignment: Assignment, batch: Batch, node: str, workers: int, fetch: Callable[[], bytes] | None = None
) -> BatchReport:
    """Judge a batch; report the verdicts, or why this node cannot judge."""
    try:
        judge = _judge(assignment, workers, fetch)
        missing = _missing(judge)
        if assignment.layers_may_miss is not None and (more := set(missing) - set(assignment.layers_may_miss)):
            raise ConfigError(
                f"isolation layers are missing: {', '.join(sorted(more))}; run 'sebench doctor' on that node"
            )
    except SebenchError as error:
        return BatchReport(node, platform.node(), refused=f"node {platform.node()}: {error}")
    futures = [judge.submit(_task(one.task, batch), one.response, one.native) for one in batch.answers]
    return BatchReport(node, platform.node(), tuple(future.result() for future in futures), missing=missing)


def _judge(assignment: Assignment, workers: int, fetch: Callable[[], bytes] | None) -> Judge:
    if (assignment, workers) not in _judges:
        for (name, required), (_, installed) in zip(assignment.versions, versions(), strict=True):
            if installed != required:
                raise ConfigError(
                    f"it has {name} {installed}, but the command has {required}; install the same versions on all nodes"
                )
        world = worlds.open_world(assignment.world, fetch)
        _judges[assignment, workers] = judge_for(
            world, profile=assignment.profile, workers=workers, share=assignment.share
        )
    return _judges[assignment, workers]


def _missing(judge: Judge) -> tuple[str, ...]:
    """Return the isolation layers that are missing here. A sandbox may fail to start in time on a node that is briefly
    busy, so there are several attempts."""
    for _ in range(STARTS - 1):
        with suppress(SandboxFault):
            return tuple(judge.missing_layers())
    return tuple(judge.missing_layers())


def pack_task(task: Task) -> tuple[str, bytes]:
    """Return the digest and the pickled form of a task that is not in the world."""
    packed = dumps(task)
    return sha256(packed).hexdigest(), packed


def _task(name: str, batch: Batch) -> Task | str:
    if name not in batch.tasks:
        return name
    if name not in _tasks:
        if len(_tasks) >= KEPT_TASKS:
            _tasks.clear()
        _tasks[name] = loads(batch.tasks[name])
    return _tasks[name]
