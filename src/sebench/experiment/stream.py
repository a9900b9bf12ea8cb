"""The TOML file of a stream: one model learns several worlds one after another, and is asked about all of them after
every stage.

    stages = ["A", "B", "A"]                            # the worlds, in the order in which they are learned
    arms = ["alone", "joint", "replay"]                 # what the stream is compared with
    [worlds]
    A = 11                                              # a seed (built if missing) or a folder
    B = { seed = 12, functions = 12 }                   # another size; or subjects = [...]
    C = { edition_of = "A", edits = 20, seed = 2 }      # a new edition of A
    [evaluate], [learn], [[method]] and the other settings are those of an experiment (`grid.py`)

A stream becomes an experiment: every stage is a row that starts from the weights of the stage before it. The arms add
rows: each world alone (from the model of the file), all worlds at once (joint), and every stage with training rows of
the worlds before it mixed in (replay). Rows that would be the same are trained once: the first stage of a stream is
also its world alone, and the first stage with replay.

Worlds built here have the same test questions (`--split fixed`): a question that one world tests is not a training
question of another.

Not covered: examples that a model generates (own answers, self-play) as training material of a stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, first_problem
from sebench.base.settings import check, check_table, option, read_toml
from sebench.experiment import grid
from sebench.experiment.grid import Grid, MethodConfig, StreamStage
from sebench.forge.names import naming
from sebench.memory.methods import make as memories
from sebench.tasks import splits
from sebench.train.config import NONE
from sebench.world.build import Progress, Slice
from sebench.world.world import World

SEQUENTIAL = "sequential"
ALONE, JOINT, REPLAY = ARMS = ("alone", "joint", "replay")


@dataclass(frozen=True)
class WorldRecipe:
    """How to get one world of a stream."""

    folder: str = ""
    seed: int = option(0, "Seed of the world, or of the edits of an edition.", least=0)
    functions: int = option(0, "Number of functions.", least=0)
    subjects: tuple[str, ...] = option((), "Subjects of the functions, in place of their number.")
    level: str = option(naming.NAMES, "What to forge.", choices=naming.LEVELS)
    leave_out: int = option(0, "Functions to leave out, for editions that add some.", least=0)
    edition_of: str = option("", "The world of this stream that it is a new edition of.")
    edits: int = option(0, "Number of changes in the new edition.", least=0)


@dataclass(frozen=True)
class _StreamSettings:
    """The top-level keys that only streams have."""

    stages: tuple[str, ...] = option((), "Worlds in the order in which they are learned.")
    arms: tuple[str, ...] = option((ALONE,), "What the stream is compared with.", choices=ARMS)
    replay_share: float = option(0.25, "Share of rows from earlier worlds, with replay.", least=0.01, below=1)


@dataclass(frozen=True)
class StreamConfig:
    """A stream: its worlds, and the experiment that runs it."""

    grid: Grid
    worlds: Mapping[str, WorldRecipe]  # by name

    def open_worlds(self, progress: Progress) -> list[World]:
        """The worlds in the order of the grid, built if they are missing."""
        opened: dict[str, World] = {}
        for name, recipe in self.worlds.items():
            opened[name] = self._open(name, recipe, opened, progress)
        _refuse_shared_questions(opened)
        return [opened[name] for name in self.grid.worlds]

    def worlds_or_sizes(self) -> dict[str, World | float]:
        """The worlds that are on disk; of the others, their share of the functions of a whole world."""
        sizes: dict[str, World | float] = {}
        for name, recipe in self.worlds.items():
            folder = self._folder(name, recipe)
            if folder.is_dir():
                sizes[name] = World.load(folder)
            elif recipe.edition_of:
                sizes[name] = sizes[recipe.edition_of]
            else:
                part = Slice(subjects=recipe.subjects, functions=recipe.functions)
                sizes[name] = len(part.paths(recipe.seed)) / len(Slice().paths(recipe.seed))
        return sizes

    def _folder(self, name: str, recipe: WorldRecipe) -> Path:
        return Path(recipe.folder) if recipe.folder else self.grid.out / "worlds" / _folder_name(name, recipe)

    def _open(self, name: str, recipe: WorldRecipe, opened: Mapping[str, World], progress: Progress) -> World:
        folder = self._folder(name, recipe)
        if recipe.folder or folder.is_dir():
            return World.load(folder)
        if recipe.edition_of:
            before = opened[recipe.edition_of]
            return World.build_edition(before, folder, edits=recipe.edits, seed=recipe.seed, progress=progress)
        part = Slice(subjects=recipe.subjects, functions=recipe.functions)
        chosen: dict[str, Any] = {"part": part, "level": recipe.level, "leave_out": recipe.leave_out}
        return World.build(recipe.seed, folder, split=splits.FIXED, progress=progress, **chosen)


def _folder_name(name: str, recipe: WorldRecipe) -> str:
    """The folder of a world; worlds with other settings have another one."""
    subjects = "+".join(recipe.subjects).replace(" ", "-")
    parts = [name, str(recipe.seed), recipe.edition_of and f"{recipe.edits}-edits", subjects]
    parts += [f"{recipe.functions}-functions" if recipe.functions else ""]
    parts += [recipe.level if recipe.level != naming.NAMES else "", f"without-{recipe.leave_out}"]
    return "-".join(part for part in parts if part and part != "without-0")


def _refuse_shared_questions(worlds: Mapping[str, World]) -> None:
    """Refuse worlds of which one trains on a question that another tests: what it measures would be unclear."""
    train, test = (
        {name: {task.id for task in world.tasks(split)} for name, world in worlds.items()}
        for split in (splits.TRAIN, splits.SINGLE_TEST)
    )
    for name, questions in train.items():
        for other in worlds:
            if shared := sorted(questions & test[other]):
                raise ConfigError(
                    f"{name} trains on {len(shared)} questions that {other} tests, such as {shared[0]}; build both "
                    "with 'sebench build --split fixed'"
                )


# ---- reading ---------------------------------------------------------------------------------------------------------


def read(file: Path, out: Path | None = None) -> StreamConfig:
    """Read the stream in a file."""
    data = read_toml(file, examples="experiments")
    own: dict[str, Any] = {key: data.pop(key) for key in ("stages", "arms", "replay_share") if key in data}
    settings = _StreamSettings(**check_table(_StreamSettings, own, str(file)))
    check(settings, f"{file}: ")
    common: dict[str, Any] = {key: data.pop(key) for key in ("functions", "level") if key in data}
    worlds = _worlds(data.pop("worlds", None), common, file)
    labels = tuple(dict.fromkeys(settings.stages))
    problems = {
        "stages must be a list of names of [worlds], such as stages = ['A', 'B', 'A']": not labels,
        f"stages names {next((one for one in labels if one not in worlds), '')!r}, which [worlds] does not have": (
            not set(labels) <= worlds.keys()
        ),
        "baseline is for experiments; a stream compares its arms": "baseline" in data,
        "seen is for experiments; remove it": "seen" in data,
    }
    if problem := first_problem(problems):
        raise ConfigError(f"{file}: {problem}")
    chosen = grid.from_table(data, file, out, labels)
    _check_methods(chosen, settings)
    methods = tuple(row for method in chosen.methods for row in _rows(method, settings, labels))
    return StreamConfig(replace(chosen, methods=methods, baseline=methods[0].name, stages=settings.stages), worlds)


def _worlds(tables: Any, common: Mapping[str, Any], file: Path) -> dict[str, WorldRecipe]:
    if not isinstance(tables, dict) or not tables:
        raise ConfigError(f"{file}: a stream needs a table [worlds] with a line for each world, such as A = 11")
    recipes: dict[str, WorldRecipe] = {}
    for name, value in tables.items():
        where = f"{file}, [worlds] {name}"
        if not name.isalnum():
            raise ConfigError(f"{where}: use letters and digits for the name of a world")
        if isinstance(value, str):
            recipes[name] = WorldRecipe(folder=value)
            continue
        table = {"seed": value} if type(value) is int else value
        if not isinstance(table, dict) or not table:
            raise ConfigError(f"{where} = {value!r}: give a seed, a folder, or a table such as {{ seed = 11 }}")
        edition = "edition_of" in table
        recipe = WorldRecipe(**check_table(WorldRecipe, {**({} if edition else common), **table}, where))
        check(recipe, f"{where}: ")
        of_editions = {"seed", "edition_of", "edits"}
        problems = {
            f"edition_of = {recipe.edition_of!r}: no world above has this name": edition
            and recipe.edition_of not in recipes,
            "an edition needs edits, the number of changes": edition and not recipe.edits,
            "an edition has the functions of its world; give only edition_of, edits and seed": edition
            and not table.keys() <= of_editions,
        }
        if problem := first_problem(problems):
            raise ConfigError(f"{where}: {problem}")
        recipes[name] = recipe
    return recipes


def _check_methods(chosen: Grid, settings: _StreamSettings) -> None:
    for method in chosen.methods:
        where, memory = f"{chosen.file}, {method.name}", method.method in memories.METHODS
        mixes = [arm for arm in (JOINT, REPLAY) if arm in settings.arms]
        problems = {
            "the stages set from; remove it": bool(method.start),
            f"examples = {getattr(method.learn, 'examples', '')!r} is not possible in a stream; use gold": (
                bool(method.needs)
            ),
            f"{method.method} cannot mix in rows, as {' and '.join(mixes)} in arms needs; remove it there": (
                bool(mixes) and not memory and method.trains and not hasattr(method.learn, "replay")
            ),
        }
        if problem := first_problem(problems):
            raise ConfigError(f"{where}: {problem}")


def _rows(method: MethodConfig, settings: _StreamSettings, labels: tuple[str, ...]) -> list[MethodConfig]:
    """The rows of one method: its stages, then its arms."""
    if method.method == NONE:
        return [replace(method, stage=StreamStage(method.name, "", 0, labels[0], labels))]
    writes = method.method in memories.METHODS

    def row(
        arm: str, number: int, start: str = "", replay_worlds: tuple[str, ...] = (), share: float = 0.0
    ) -> MethodConfig:
        world = labels[0] if arm == JOINT else settings.stages[number - 1]
        so_far = tuple(dict.fromkeys(settings.stages[:number])) if number else labels
        test_worlds = (world,) if arm == ALONE else so_far
        stage = StreamStage(method.name, arm, number, world, test_worlds, replay_worlds, share)
        return replace(method, name=_row_name(stage), start="" if writes else start, stage=stage)

    rows = [row(SEQUENTIAL, 1)]
    for number in range(2, len(settings.stages) + 1):
        rows.append(row(SEQUENTIAL, number, rows[-1].name))
    if writes:  # a memory is written for one world; there is nothing to mix
        return rows
    if ALONE in settings.arms:
        rows += [row(ALONE, settings.stages.index(label) + 1) for label in labels[1:]]
    if JOINT in settings.arms and len(labels) > 1:
        rows.append(row(JOINT, 0, replay_worlds=labels[1:]))
    if REPLAY in settings.arms:
        before = rows[0].name
        for number in range(2, len(settings.stages) + 1):
            earlier = tuple(
                one for one in labels if one in settings.stages[: number - 1] and one != settings.stages[number - 1]
            )
            rows.append(row(REPLAY, number, before, earlier, settings.replay_share if earlier else 0.0))
            before = rows[-1].name
    return rows


def _row_name(stage: StreamStage) -> str:
    place = {ALONE: stage.world, JOINT: ""}.get(stage.arm, f"{stage.number} {stage.world}")
    return f"{stage.method} {stage.arm} {place}".rstrip()
