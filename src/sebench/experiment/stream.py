"""The TOML file of a stream: one model learns several worlds one after another, and after every stage it is tested on
all worlds so far.

    stages = ["A", "B", "A"]                            # the worlds, in the order in which they are learned
    arms = ["alone", "joint", "replay"]                 # what the stream is compared with
    [worlds]
    A = 11                                              # a seed (built if missing) or a folder
    B = { seed = 12, functions = 12 }                   # another size; or subjects = [...]
    C = { edition_of = "A", edits = 20, seed = 2 }      # a new edition of A
    [evaluate], [learn], [[method]] and the other settings are those of an experiment (`grid.py`)

A stream becomes an experiment: every stage is a row that starts from the weights of the stage before it. The arms add
rows: each world alone (starting from the model in the file), all worlds at once (joint), and every stage with training
rows from the worlds before it mixed in (replay). Rows that would be the same are trained once: the first stage of a
stream also serves as the first world alone, and as the first stage with replay.

Worlds are built with `--split fixed`, so that no test question of one is a training question of another.

Not covered: examples that a model generates (own answers, self-play) as training material of a stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, SebenchError, first_problem
from sebench.base.settings import check, check_names, check_table, help_texts, option, read_toml
from sebench.base.wording import counted, shell
from sebench.experiment import grid
from sebench.experiment.grid import Grid
from sebench.experiment.method import MethodConfig, StreamStage
from sebench.forge.names import naming
from sebench.memory.methods import make as memories
from sebench.tasks import splits
from sebench.train.config import NONE
from sebench.train.data.examples import GOLD
from sebench.world.build import Progress, Slice
from sebench.world.prompts import CLOSED
from sebench.world.world import World

SEQUENTIAL = "sequential"
LONGEST = 20  # characters in the name of a world
REFUSED = {"baseline": "a stream compares its arms", "seen": "remove it"}  # settings of an experiment
TABLES_AS_WRITTEN = ("[worlds]", *grid.TABLES_AS_WRITTEN)
ALONE, JOINT, REPLAY = ARMS = ("alone", "joint", "replay")


@dataclass(frozen=True)
class WorldRecipe:
    """How to get one world of a stream."""

    folder: str = ""
    seed: int = option(0, "Seed of the world, or of the edits of an edition.", least=0)
    functions: int = option(0, "Number of functions; 0 for all.", least=0)
    subjects: tuple[str, ...] = option((), "Subjects of the functions, instead of a number of functions.")
    level: str = option(naming.NAMES, "What to forge.", choices=naming.LEVELS)
    leave_out: int = option(0, "Number of functions to leave out, so that editions can add them.", least=0)
    edition_of: str = option("", "The world of this stream that it is a new edition of.")
    edits: int = option(0, "Number of changes in the new edition.", least=0)


@dataclass(frozen=True)
class _StreamSettings:
    """The top-level keys that only streams have."""

    stages: tuple[str, ...] = option((), "Worlds in the order in which they are learned.")
    arms: tuple[str, ...] = option((ALONE,), "What the stream is compared with.", choices=ARMS)
    replay_share: float = option(0.25, "Share of rows from earlier worlds, in the arm replay.", least=0.01, below=1)


@dataclass(frozen=True)
class StreamConfig:
    """A stream: its worlds, and the experiment that runs it."""

    grid: Grid
    worlds: Mapping[str, WorldRecipe]  # by name

    def open_worlds(self, progress: Progress) -> list[World]:
        """Return the worlds in the order of the grid, and build those that are missing."""
        opened: dict[str, World] = {}
        for name, recipe in self.worlds.items():
            with self._naming(name):
                opened[name] = self._open(name, recipe, opened, progress)
        _refuse_shared_names(opened)
        _refuse_shared_questions(opened)
        return [opened[name] for name in self.grid.worlds]

    def built_worlds(self) -> dict[str, World]:
        """Return the worlds that are on disk."""
        folders = {name: self.folder(name, recipe) for name, recipe in self.worlds.items()}
        return {name: World.load(folder) for name, folder in folders.items() if folder.is_dir()}

    def worlds_or_sizes(self) -> dict[str, World | float]:
        """Return the worlds that are on disk and, for each of the others, its share of all functions. An edition that
        is not on disk counts as the world that it is an edition of."""
        sizes: dict[str, World | float] = {}
        for name, recipe in self.worlds.items():
            folder = self.folder(name, recipe)
            with self._naming(name):
                if recipe.folder or folder.is_dir():
                    sizes[name] = World.load(folder)
                elif recipe.edition_of:
                    sizes[name] = sizes[recipe.edition_of]
                else:
                    part = Slice(subjects=recipe.subjects, functions=recipe.functions)
                    sizes[name] = len(part.paths(recipe.seed)) / len(Slice().paths(recipe.seed))
        return sizes

    @contextmanager
    def _naming(self, world: str) -> Iterator[None]:
        """Put the file and the world before the text of errors that a `with` block raises."""
        try:
            yield
        except SebenchError as error:
            raise ConfigError(f"{self.grid.file}, [worlds] {world}: {error}") from None

    def folder(self, name: str, recipe: WorldRecipe) -> Path:
        """Return the folder of a world."""
        return Path(recipe.folder) if recipe.folder else self.grid.out / "worlds" / _folder_name(name, recipe)

    def _open(self, name: str, recipe: WorldRecipe, opened: Mapping[str, World], progress: Progress) -> World:
        folder = self.folder(name, recipe)
        if recipe.folder or folder.is_dir():
            world = World.load(folder)
            edition = world.manifest.edition
            if recipe.edition_of and (edition is None or edition.of != opened[recipe.edition_of].manifest.fingerprint):
                raise ConfigError(
                    f"{folder} is not an edition of {recipe.edition_of}; choose another --out, or remove that folder"
                )
            return world
        if recipe.edition_of:
            before = opened[recipe.edition_of]
            return World.build_edition(before, folder, edits=recipe.edits, seed=recipe.seed, progress=progress)
        part = Slice(subjects=recipe.subjects, functions=recipe.functions)
        chosen: dict[str, Any] = {"part": part, "level": recipe.level, "leave_out": recipe.leave_out}
        return World.build(recipe.seed, folder, split=splits.FIXED, progress=progress, **chosen)


def _folder_name(name: str, recipe: WorldRecipe) -> str:
    """Return the name of a world's folder, which differs between worlds with different settings."""
    subjects = "+".join(recipe.subjects).replace(" ", "-")
    edits = f"{recipe.edits}-edits-of-{recipe.edition_of}" if recipe.edition_of else ""
    parts = [name, str(recipe.seed), edits, subjects]
    parts += [f"{recipe.functions}-functions" if recipe.functions else ""]
    parts += [recipe.level if recipe.level != naming.NAMES else "", f"without-{recipe.leave_out}"]
    return "-".join(part for part in parts if part and part != "without-0")


def _refuse_shared_names(worlds: Mapping[str, World]) -> None:
    """Refuse two worlds with the same names, since learning one would help with the other. Editions are exempt."""
    first: dict[str, str] = {}
    for name, world in worlds.items():
        if world.manifest.edition is None:
            package = world.names.package
            if other := first.get(package):
                raise ConfigError(f"{other} and {name} have the same names ({package}); give them different seeds")
            first[package] = name


def _refuse_shared_questions(worlds: Mapping[str, World]) -> None:
    """Refuse worlds if one trains on a question that another tests: it would be unclear what the test measures."""
    train, test = (
        {name: set(world.task_ids(split)) for name, world in worlds.items()}
        for split in (splits.TRAIN, splits.SINGLE_TEST)
    )
    for name, questions in train.items():
        for other in worlds:
            if shared := sorted(questions & test[other]):
                raise ConfigError(
                    f"{name} trains on {counted(len(shared), 'question')} that {other} tests, such as {shared[0]}; "
                    "build both with 'sebench build --split fixed'"
                )


# ---- reading ---------------------------------------------------------------------------------------------------------


def read(file: Path, out: Path | None = None) -> StreamConfig:
    """Read the stream in a file."""
    data = read_toml(file, examples="experiments", repeated="method")
    if "stages" not in data and isinstance(data.get("worlds"), list):
        raise ConfigError(
            f"{file} is an experiment, because it has no stages: run it with 'sebench experiment {shell(file)}'"
        )
    of_streams = help_texts(_StreamSettings)
    known = {name: help for name, help in (of_streams | grid.TOP_LEVEL).items() if name not in REFUSED}
    check_names({key: data[key] for key in data if key not in REFUSED}, known, str(file), TABLES_AS_WRITTEN)
    own: dict[str, Any] = {key: data.pop(key) for key in of_streams if key in data}
    settings = _StreamSettings(**check_table(_StreamSettings, own, str(file)))
    check(settings, f"{file}: ")
    common: dict[str, Any] = {key: data.pop(key) for key in ("functions", "level") if key in data}
    worlds = _worlds(data.pop("worlds", None), common, file)
    labels = tuple(dict.fromkeys(settings.stages))
    built_worlds = {name for name, recipe in worlds.items() if recipe.folder}
    problems = {
        "stages must be a list of names of [worlds], such as stages = ['A', 'B', 'A']": not labels,
        f"functions and level are for worlds given by seed; {min(built_worlds, default='')} is already built": (
            bool(common) and bool(built_worlds)
        ),
        f"stages names {next((one for one in labels if one not in worlds), '')!r}, which [worlds] does not have": (
            not set(labels) <= worlds.keys()
        ),
        **{f"{name} is for experiments; {step}": name in data for name, step in REFUSED.items()},
    }
    if problem := first_problem(problems):
        raise ConfigError(f"{file}: {problem}")
    chosen = grid.from_table(data, file, out, labels)
    _check_methods(chosen, settings)
    methods = tuple(row for method in chosen.methods for row in _rows(method, settings, labels))
    names = [method.name for method in methods]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ConfigError(f"{file}: two rows would be called '{twice}'; rename a method")
    stream = StreamConfig(
        replace(chosen, methods=methods, baseline=methods[0].name, stages=settings.stages), _used(worlds, labels)
    )
    by_seed: dict[int, str] = {}
    for name, recipe in stream.worlds.items():
        if recipe.folder or recipe.edition_of:
            continue
        if other := by_seed.get(recipe.seed):
            raise ConfigError(
                f"{file}, [worlds]: {other} and {name} have the same seed ({recipe.seed}), which would give them the "
                "same names; give them different seeds"
            )
        by_seed[recipe.seed] = name
    folders = [stream.folder(name, recipe).name for name, recipe in stream.worlds.items()]
    if twice := next((name for name in folders if folders.count(name) > 1), ""):
        raise ConfigError(f"{file}, [worlds]: two folders are called '{twice}'; rename one")
    return stream


def _used(worlds: Mapping[str, WorldRecipe], labels: Sequence[str]) -> dict[str, WorldRecipe]:
    """Return the worlds of the stages, and those that they are editions of."""
    needed = set(labels)
    for name in reversed(list(worlds)):  # an edition comes after its world
        needed |= {worlds[name].edition_of} if name in needed else set()
    return {name: recipe for name, recipe in worlds.items() if name in needed}


def _worlds(tables: Any, common: Mapping[str, Any], file: Path) -> dict[str, WorldRecipe]:
    if not isinstance(tables, dict) or not tables:
        raise ConfigError(f"{file}: a stream needs a [worlds] table with one line per world, such as A = 11")
    recipes: dict[str, WorldRecipe] = {}
    for name, value in tables.items():
        where = f"{file}, [worlds] {name}"
        if not name.isalnum() or len(name) > LONGEST:
            raise ConfigError(f"{where}: use at most {LONGEST} letters and digits for the name of a world")
        if isinstance(value, str) and value:
            recipes[name] = WorldRecipe(folder=value)
            continue
        table = {"seed": value} if type(value) is int else value
        if not isinstance(table, dict) or "seed" not in table or "folder" in table:
            raise ConfigError(f"{where} = {value!r}: give a seed, a folder, or a table with a seed: {{ seed = 11 }}")
        edition = "edition_of" in table
        recipe = WorldRecipe(**check_table(WorldRecipe, {**({} if edition else common), **table}, where))
        check(recipe, f"{where}: ")
        of_editions, base = {"seed", "edition_of", "edits"}, recipes.get(recipe.edition_of)
        problems = {
            f"edition_of = {recipe.edition_of!r}: no world above has this name": edition
            and recipe.edition_of not in recipes,
            "an edition needs edits, the number of changes": edition and not recipe.edits,
            "edits are for an edition; add edition_of, or remove edits": bool(recipe.edits) and not edition,
            f"editions need forged parameters; set level = '{naming.PARAMETERS}' for {recipe.edition_of}": (
                base is not None and not base.folder and not base.edition_of and base.level == naming.NAMES
            ),
            "an edition has the functions of its world; give only edition_of, edits and seed": edition
            and not table.keys() <= of_editions,
        }
        if problem := first_problem(problems):
            raise ConfigError(f"{where}: {problem}")
        recipes[name] = recipe
    return recipes


def _check_methods(chosen: Grid, settings: _StreamSettings) -> None:
    for method in chosen.methods:
        mixes = [arm for arm in (JOINT, REPLAY) if arm in settings.arms]
        arms, learn = " and ".join(mixes), method.learn
        examples = getattr(learn, "examples", GOLD)
        problems = {
            "'from' is set by the stages; remove it": bool(method.start),
            "each stage has the memory of its own world; remove memory": bool(method.memory),
            "self-play has its questions in one world; choose another method": bool(method.play),
            "probe_worlds is set by the stages; remove it": bool(learn.probe_worlds),
            "a stream is tested with the book closed; add 'closed' to book": CLOSED not in method.evaluate.book,
            f"examples = {examples!r} is not possible in a stream, because these belong to one world; use gold": (
                examples != GOLD
            ),
            f"{method.method} cannot mix in rows from other worlds; remove {arms} from arms": (
                bool(mixes) and method.trains and not hasattr(learn, "replay")
            ),
            f"replay cannot be set together with {arms} in arms; remove one of them": (
                bool(mixes) and bool(getattr(learn, "replay", ""))
            ),
            f"study cannot be set together with {arms} in arms; remove one of them": (
                bool(mixes) and bool(getattr(learn, "study", ""))
            ),
        }
        if problem := first_problem(problems):
            raise ConfigError(f"{chosen.file}, {method.name}: {problem}")


def _rows(method: MethodConfig, settings: _StreamSettings, labels: tuple[str, ...]) -> list[MethodConfig]:
    """Return the rows of one method: its stages, then its arms."""
    if method.method == NONE:
        return [replace(method, stage=StreamStage(method.name, "", 0, labels[0], labels))]
    writes = method.method in memories.METHODS

    def row(arm: str, number: int, before: str = "", replay: Sequence[str] = (), share: float = 0.0) -> MethodConfig:
        world = labels[0] if arm == JOINT else settings.stages[number - 1]
        so_far = tuple(dict.fromkeys(settings.stages[:number])) if number else labels
        test_worlds = (world,) if arm == ALONE else so_far
        stage = StreamStage(method.name, arm, number, world, test_worlds, tuple(replay), share, before)
        return replace(method, name=_row_name(stage), start="" if writes else before, stage=stage)

    numbers = range(2, len(settings.stages) + 1)
    rows = [row(SEQUENTIAL, 1)]
    for number in numbers:
        rows.append(row(SEQUENTIAL, number, rows[-1].name))
    if writes:  # a memory is written for one world; there is nothing to mix
        return rows
    sequential = list(rows)
    if ALONE in settings.arms:
        rows += [row(ALONE, settings.stages.index(label) + 1) for label in labels[1:]]
    if JOINT in settings.arms and len(labels) > 1:
        rows.append(row(JOINT, 0, replay=labels[1:]))
    before = sequential[0].name
    for number in numbers if REPLAY in settings.arms else ():
        earlier = [one for one in dict.fromkeys(settings.stages[: number - 1]) if one != settings.stages[number - 1]]
        if not earlier and before == sequential[number - 2].name:
            before = sequential[number - 1].name  # nothing to replay yet, so it is the same row
            continue
        rows.append(row(REPLAY, number, before, earlier, settings.replay_share if earlier else 0.0))
        before = rows[-1].name
    return rows


def _row_name(stage: StreamStage) -> str:
    place = {ALONE: stage.world, JOINT: ""}.get(stage.arm, f"{stage.number} {stage.world}")
    return f"{stage.method} {stage.arm} {place}".rstrip()
