"""How a released world is made again: from what its manifest says, if a seed and options are enough for that."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, SebenchError, WorldError
from sebench.forge.catalog import backend
from sebench.forge.names import naming
from sebench.release.folder import ReleasedWorld
from sebench.version import __version__
from sebench.world.build import Progress, Slice
from sebench.world.manifest import Manifest
from sebench.world.world import World, worlds, worlds_folder

FUNCTIONS = " functions"


def describe(name: str, manifest: Manifest) -> ReleasedWorld:
    """A world as a release tells of it."""
    recipe = None if manifest.banks or manifest.pages or manifest.gone else _recipe(manifest)
    return ReleasedWorld(name, manifest.fingerprint, manifest.seed, manifest.sebench, manifest.numpy, recipe)


def _recipe(manifest: Manifest) -> dict[str, Any] | None:
    """None for names that are not those of the seed: they came from a mapping."""
    recipe = {
        "seed": manifest.seed,
        "part": manifest.part,
        "split": manifest.split,
        "level": manifest.names.level,
        "leave_out": len(manifest.left_out),
    }
    try:
        paths = slice_of(manifest.part).paths(manifest.seed)
    except (SebenchError, ValueError):
        return None
    drawn = naming.draw(manifest.seed, (), "", manifest.names.level)
    if not set(manifest.matched_names.functions) <= paths or manifest.names.array != drawn.array:
        return None
    return {**recipe, "package": "" if manifest.names.package == drawn.package else manifest.names.package}


def slice_of(part: str) -> Slice:
    """The slice that a manifest calls so."""
    if part == "all":
        return Slice()
    if part.endswith(FUNCTIONS):
        return Slice(functions=int(part.removesuffix(FUNCTIONS)))
    return Slice(subjects=tuple(part.split(", ")))


def find(released: ReleasedWorld, place: str | None, progress: Progress) -> World:
    """The world: the one that is given, the seed's own, or one that is built for it and kept beside the others."""
    if place is not None:
        world = World.open(place, progress)
        if world.manifest.fingerprint != released.fingerprint:
            raise ConfigError(
                f"world {place} has the fingerprint {world.manifest.fingerprint[:12]}, and the release is about "
                f"{released.fingerprint[:12]} (seed {released.seed}); give that one, or leave --world out to build it"
            )
        return world
    if (there := find_local(released.fingerprint)) is not None:
        return there
    if released.recipe is None:
        raise ConfigError(
            f"world {released.name} ({released.fingerprint[:12]}) cannot be built from its seed alone; get it, and give it with --world"
        )
    out = worlds_folder() / f"{released.seed}-{released.fingerprint[:12]}"
    return _build(released, released.recipe, out, progress)


def find_local(fingerprint: str) -> World | None:
    """The world of this fingerprint among those that are kept by seed."""
    if not worlds_folder().is_dir():
        return None
    for path, manifest in worlds(worlds_folder()):
        if not isinstance(manifest, WorldError) and manifest.fingerprint == fingerprint:
            try:
                return World.load(path)
            except WorldError:
                continue  # damaged
    return None


def _build(released: ReleasedWorld, recipe: Mapping[str, Any], out: Path, progress: Progress) -> World:
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".verify-", dir=out.parent) as folder:
        try:
            world = World.build(
                int(recipe["seed"]),
                Path(folder) / out.name,
                name=str(recipe["package"]),
                part=slice_of(str(recipe["part"])),
                leave_out=int(recipe["leave_out"]),
                split=str(recipe["split"]),
                level=str(recipe["level"]),
                progress=progress,
            )
        except (KeyError, ValueError, TypeError) as error:
            raise ConfigError(
                f"world {released.name}: what the release says of it cannot be read ({error!r})"
            ) from None
        if world.manifest.fingerprint != released.fingerprint:
            raise ConfigError(
                f"world {released.name}, built again, has the fingerprint {world.manifest.fingerprint[:12]} and not "
                f"{released.fingerprint[:12]}: it was made by sebench {released.sebench} with NumPy {released.numpy}, and this is "
                f"{__version__} with {backend.VERSION}; install those, or give the world with --world"
            )
        if not out.exists():
            world.path.rename(out)
    return World.load(out)
