"""The part that runs on a cluster node: it opens the world, keeps a judge for the life of the worker process, judges
batches, and reports.

A node looks for the world at the command's path (shared storage), in its own `SEBENCH_WORLDS`, and among earlier
shipments. Only a world with the same fingerprint counts. If there is none, the world is unpacked from the shipment,
once per node, under a lock, and checked file by file like any world.

A node that cannot judge reports why: another version of sebench or NumPy, no world, or missing isolation layers. Only
the judge and the received tasks are kept between batches; a batch may be judged again on any node.

Not covered: Ray (`on_ray.py` calls this), which node judges what, and building a world on a node, which takes minutes
and may produce a different world if versions differ.
"""

from __future__ import annotations

import io
import platform
import shutil
import tarfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from pickle import dumps, loads

import numpy

from sebench.base import files
from sebench.base.errors import ConfigError, SandboxFault, SebenchError, WorldError
from sebench.base.records import Task
from sebench.judge.judge import SHARE, Judge, judge_for
from sebench.models import embedded
from sebench.remote.ray.batches import Batch, BatchReport
from sebench.version import __version__
from sebench.world import manifest
from sebench.world.world import World, worlds_folder

KEPT_TASKS = 4096  # received tasks, so that a task need not be sent again with its other samples
SHIPPED = "worlds"  # folder in the user's cache
LOCK = ".shipping"
STARTS = 3  # attempts to start a sandbox before its node is excluded


def versions() -> tuple[tuple[str, str], ...]:
    """Return the versions that must match on every node, so that no verdict depends on the node."""
    return ("sebench", __version__), ("NumPy", numpy.__version__)


@dataclass(frozen=True)
class WorldRef:
    """A reference to a world, and where it may be found."""

    fingerprint: str
    path: str  # on the machine that runs the command

    @classmethod
    def of(cls, world: World) -> WorldRef:
        return cls(world.manifest.fingerprint, str(world.path.resolve()))

    @property
    def name(self) -> str:
        return Path(self.path).name


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
        world = open_world(assignment.world, fetch)
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


# ---- the world -------------------------------------------------------------------------------------------------------


def pack_world(world: World) -> bytes:
    """Return the files of a world as a compressed archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6) as archive:
        for relative in (manifest.MANIFEST, *world.manifest.files):
            archive.add(world.path / relative, relative, recursive=False)
    return packed.getvalue()


def shipped_folder() -> Path:
    """Return the folder in which a node keeps shipped worlds."""
    return embedded.folder() / SHIPPED


def open_world(ref: WorldRef, fetch: Callable[[], bytes] | None = None) -> World:
    """Open the world on this machine; `fetch` returns the shipment if it is needed; None forbids shipping."""
    there = shipped_folder() / ref.fingerprint[:32]
    for folder in (Path(ref.path), worlds_folder() / ref.name, there):
        if (world := _same(folder, ref)) is not None:
            return world
    if fetch is None:
        raise WorldError(
            f"world {ref.name} ({ref.fingerprint[:12]}) is neither at {ref.path} nor in {worlds_folder()}; copy it "
            "there, set SEBENCH_WORLDS, or remove --no-ship"
        )
    files.make_folder(there.parent)
    with files.lock_file(there.parent / LOCK, "wait for it", wait=True):
        if (world := _same(there, ref)) is not None:
            return world  # another process on this node was faster
        return _unpack(fetch(), ref, there)


def _unpack(packed: bytes, ref: WorldRef, there: Path) -> World:
    if there.exists():
        shutil.rmtree(there)  # damaged
    try:
        with files.new_folder(there) as folder, tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
            archive.extractall(folder, filter="data")
    except (tarfile.TarError, EOFError, OSError) as error:
        raise WorldError(f"world {ref.name} was damaged in transit ({error}); run the same command again") from None
    world = World.load(there)
    if world.manifest.fingerprint != ref.fingerprint:
        shutil.rmtree(there)
        raise WorldError(f"world {ref.name} has a different fingerprint after shipping; run the same command again")
    return world


def _same(folder: Path, ref: WorldRef) -> World | None:
    """Return the world in a folder if it is the referenced one and undamaged, else None."""
    if not (folder / manifest.MANIFEST).is_file():
        return None
    try:
        world = World.load(folder)
    except WorldError:
        return None
    return world if world.manifest.fingerprint == ref.fingerprint else None
