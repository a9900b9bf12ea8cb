"""What a node does with a batch: open the world, keep a judge for the life of the worker process, judge, report.

A node that cannot judge says why and judges nothing: another version of sebench or NumPy, no world, isolation layers that are required.
Nothing is kept between batches but the judge and the tasks that have travelled; a batch may be judged again anywhere.

Not covered: Ray (`on_ray.py` calls this), and which node judges what.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pickle import dumps, loads

import numpy

from sebench.base.errors import ConfigError, SandboxFault, SebenchError
from sebench.base.records import Task
from sebench.judge.judge import SHARE, Judge
from sebench.judge.shared import judge_for
from sebench.remote.ray import worlds
from sebench.remote.ray.batches import Batch, BatchReport
from sebench.remote.ray.worlds import WorldRef
from sebench.version import __version__

KEPT_TASKS = 4096  # that have travelled: the samples of a task need not bring it again
STARTS = 3  # attempts of a sandbox to start before its node is left out


def versions() -> tuple[tuple[str, str], ...]:
    """What must be the same everywhere, so that no verdict depends on where it was made."""
    return ("sebench", __version__), ("NumPy", numpy.__version__)


@dataclass(frozen=True)
class Assignment:
    """What all batches of a judge share."""

    world: WorldRef
    profile: str
    versions: tuple[tuple[str, str], ...]
    share: int = SHARE
    layers_may_miss: tuple[str, ...] | None = None  # isolation layers; None: whichever hold are enough


_judges: dict[tuple[Assignment, int], Judge] = {}
_tasks: dict[str, Task] = {}


def judge_batch(
    assignment: Assignment, batch: Batch, node: str, workers: int, fetch: Callable[[], bytes] | None = None
) -> BatchReport:
    """The verdicts of a batch, or why there are none here."""
    try:
        judge = _judge(assignment, workers, fetch)
        missing = _missing(judge)
        if assignment.layers_may_miss is not None and (more := set(missing) - set(assignment.layers_may_miss)):
            raise ConfigError(
                f"these isolation layers do not hold there: {', '.join(sorted(more))}; see 'sebench doctor' on it"
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
                    f"it has {name} {installed}, the command has {required}; install the same versions on every node"
                )
        world = worlds.open_world(assignment.world, fetch)
        _judges[assignment, workers] = judge_for(
            world, profile=assignment.profile, workers=workers, share=assignment.share
        )
    return _judges[assignment, workers]


def _missing(judge: Judge) -> tuple[str, ...]:
    """The layers that do not hold here. A sandbox may not start in time on a node that is busy for a moment: that is no reason to leave it
    out, so it has some attempts."""
    for attempt in range(STARTS):
        try:
            return tuple(judge.missing_layers())
        except SandboxFault:
            if attempt == STARTS - 1:
                raise
    raise AssertionError("not reached")


def pack_task(task: Task) -> tuple[str, bytes]:
    """A task that is not the world's own, as it travels: its digest, and the task."""
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
