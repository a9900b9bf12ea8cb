"""Opens a world on another machine, where it is found or shipped.

A node looks for the world at the command's path (shared storage), in its own `SEBENCH_WORLDS`, and among earlier
shipments. Only a world with the same fingerprint counts. If there is none, the world is unpacked from the shipment,
once per node, under a lock, and checked file by file like any world.

Not covered: building a world on a node, which takes minutes and may produce another world with other versions.
"""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sebench.base import files
from sebench.base.errors import WorldError
from sebench.models import embedded
from sebench.world import manifest
from sebench.world.world import World, worlds_folder

SHIPPED = "worlds"  # folder in the user's cache
LOCK = ".shipping"


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


def pack(world: World) -> bytes:
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
    """Open the world on this machine; `fetch` returns the shipment if it is needed, None forbids shipping."""
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
