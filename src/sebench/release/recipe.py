"""Finds or rebuilds released worlds; a world can be rebuilt if its seed and options are enough."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, SebenchError, WorldError
from sebench.forge.catalog import backend
from sebench.forge.changes.changes import SHARE
from sebench.forge.names import naming
from sebench.release.folder import ReleasedWorld
from sebench.tasks import splits
from sebench.version import __version__
from sebench.world.build import Progress, Slice
from sebench.world.manifest import Manifest
from sebench.world.world import World, worlds, worlds_folder

FUNCTIONS = " functions"


def describe(name: str, manifest: Manifest) -> ReleasedWorld:
    """Return the entry for a world in a release."""
    other = manifest.banks or manifest.pages or manifest.published or manifest.gone
    recipe = None if other else _recipe(manifest)
    return ReleasedWorld(name, manifest.fingerprint, manifest.seed, manifest.sebench, manifest.numpy, recipe)


def _recipe(manifest: Manifest) -> dict[str, Any] | None:
    """Return a world's seed and options; for a new edition, those of the first edition, and the edits. Return None if
    they are not enough to rebuild the world: if its names come from a mapping, or if it is an edition of an edition."""
    edition = manifest.edition
    if edition and edition.number > 2:
        return None
    try:
        paths = slice_of(manifest.part).paths(manifest.seed)
    except (SebenchError, ValueError):
        return None
    first = edition.before if edition else manifest.names
    drawn = naming.draw(manifest.seed, (), "", first.level)
    if not set(manifest.matched_names.functions) <= paths or first.array != drawn.array:
        return None
    return {
        "seed": manifest.seed,
        "part": manifest.part,
        "split": manifest.split,
        "level": first.level,
        "leave_out": len(paths - first.functions.keys()) if edition else len(manifest.left_out),
        "package": "" if first.package == drawn.package else first.package,
        **({"changed": manifest.changed} if manifest.changed else {}),
        **({"edition": {"edits": len(edition.edits), "seed": edition.seed}} if edition else {}),
    }


def may_be_seeds_own(manifest: Manifest, seed: int) -> bool:
    """Whether a world has the settings with which the world of a seed is built if no other settings are given."""
    defaults = {"seed": seed, "part": str(Slice()), "split": splits.DRAWN, "level": naming.NAMES}
    return describe("", manifest).recipe == {**defaults, "leave_out": 0, "package": ""}


def slice_of(part: str) -> Slice:
    """Return the slice that a manifest records under this name."""
    if part == "all":
        return Slice()
    if part.endswith(FUNCTIONS):
        return Slice(functions=int(part.removesuffix(FUNCTIONS)))
    return Slice(subjects=tuple(part.split(", ")))


def find(released: ReleasedWorld, place: str | None, progress: Progress) -> World:
    """Return the world at `place`, a local one with the same fingerprint, or one that is now built and kept."""
    if place is not None:
        world = World.open(place, progress)
        if world.manifest.fingerprint != released.fingerprint:
            raise ConfigError(
                f"world {place} has the fingerprint {world.manifest.fingerprint[:12]}, but the release was made with "
                f"{released.fingerprint[:12]} (seed {released.seed}); pass that one, or leave --world out to build it"
            )
        return world
    if (there := find_local(released.fingerprint)) is not None:
        return there
    if released.recipe is None:
        raise ConfigError(
            f"world {released.name} ({released.fingerprint[:12]}) cannot be built from its seed alone; download it and "
            "pass it with --world"
        )
    out = worlds_folder() / f"{released.seed}-{released.fingerprint[:12]}"
    return _build(released, released.recipe, out, progress)


def find_local(fingerprint: str, *beside: Path) -> World | None:
    """Return the local world with this fingerprint, or None. Search the worlds folder, and next to the paths in
    `beside`."""
    parents = [path.resolve().parent for path in beside]
    near = [place for parent in parents for place in (parent, parent / "worlds", parent.parent / "worlds")]
    for folder in dict.fromkeys([worlds_folder(), Path("worlds"), *near]):
        with suppress(OSError):  # not ours to read
            for path, manifest in worlds(folder) if folder.is_dir() else ():
                if not isinstance(manifest, WorldError) and manifest.fingerprint == fingerprint:
                    with suppress(WorldError):  # damaged; there may be another copy
                        return World.load(path)
    return None


def _build(released: ReleasedWorld, recipe: Mapping[str, Any], out: Path, progress: Progress) -> World:
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".verify-", dir=out.parent) as folder:
        try:
            world = World.build(
                int(recipe["seed"]),
                Path(folder) / "built",
                name=str(recipe["package"]),
                part=slice_of(str(recipe["part"])),
                leave_out=int(recipe["leave_out"]),
                split=str(recipe["split"]),
                level=str(recipe["level"]),
                changed=float(recipe.get("changed", SHARE)),
                progress=progress,
            )
            if edition := recipe.get("edition"):
                edits, seed = int(edition["edits"]), int(edition["seed"])
                world = World.build_edition(world, Path(folder) / "edition", edits=edits, seed=seed, progress=progress)
        except (KeyError, ValueError, TypeError) as error:
            raise ConfigError(f"world {released.name}: its recipe in the release cannot be read ({error!r})") from None
        if world.manifest.fingerprint != released.fingerprint:
            raise ConfigError(
                f"world {released.name} was rebuilt with fingerprint {world.manifest.fingerprint[:12]} instead of "
                f"{released.fingerprint[:12]}: the original was built by sebench {released.sebench} with NumPy "
                f"{released.numpy}, but this is sebench {__version__} with NumPy {backend.VERSION}; install those "
                "versions, or pass the world with --world"
            )
        if not out.exists():
            world.path.rename(out)
    return World.load(out)
