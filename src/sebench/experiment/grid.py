"""The TOML file of an experiment: its worlds and methods, how each method is trained, and how all of them are
evaluated.

    worlds = [11, 12]            # seeds (built if missing) or folders
    functions = 24               # size of the worlds built for this experiment; default: all functions
    gpus = 8                     # for each row; default: rows share the GPU that torch uses
    prompts = "short"            # templates for training and evaluation
    [serve]                      # vLLM servers answer, with settings of `models/vllm.py`
    [evaluate]                   # settings of `sebench run`
    [answers]                    # the same, for a model's own open-book answers to training tasks (examples = "own")
    [selfplay]                   # settings of `sebench selfplay`
    [learn]                      # settings of `sebench learn`, for all methods
    [[method]]
    name = "Closed-SFT"          # its name in tables
    method = "closed-sft"        # a method of `sebench learn` or `sebench memory`, "selfplay", or "none"
    form = "recall"              # any setting of that method
    evaluate = { samples = 5 }   # settings of [evaluate] that differ in this row
    [[method]]
    name = "Closed-SFT-RL"
    method = "closed-sft-rl"
    from = "Closed-SFT"          # starts from the weights of that row in the same world
    examples = "own:Closed-SFT"  # learns from the answers of that row's model (from self-play: "selfplay:ROW")
    memory = "ExpeL"             # is asked with the memory that this row wrote

Every error is one line that names the file and the place. This module only reads the file: no world is opened or built.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, first_problem
from sebench.base.settings import check, check_names, check_table, help_texts, option, read_toml
from sebench.base.wording import shell
from sebench.experiment.method import ANSWERS, OWN, SELFPLAY, MethodConfig, generated_by, loaded_as
from sebench.forge.names import naming
from sebench.memory.methods import make as memories
from sebench.memory.methods.config import StudyConfig
from sebench.models.vllm import ServeSettings
from sebench.rollout.config import RunConfig
from sebench.selfplay.config import SHARED, SelfplayConfig, learn_options, refuse_other_rounds
from sebench.tasks import splits
from sebench.train import rl
from sebench.train.config import CONFIGS, NONE, TRL, EverySetting, PolicyConfig, TrainConfig, configure
from sebench.train.loop.free_memory import CPU
from sebench.train.methods import METHODS, ON_TRL
from sebench.world.prompts import CLOSED, OPEN
from sebench.world.world import folder_of

ALL = "all"
BOTH = ("prompts", "pages", "thinking")  # set for both training and evaluation, so that prompts match
NOT_HERE = ("model", "base_url", "tasks", "memory")  # not allowed in [evaluate] and [answers]: the rows set them
OF_METHODS = ("name", "method", "from", "memory", "gpus", "evaluate")
OF_PLAYS = ("base", "base_url", "after", "split", *BOTH)  # settings of self-play that the rows set
TABLES = ("learn", "evaluate", "answers", "selfplay", "serve")
TABLES_AS_WRITTEN = (*(f"[{name}]" for name in TABLES), "[[method]]")
_NAME = re.compile(r"[\w.+][\w.+ -]*")


@dataclass(frozen=True)
class _TopLevel:
    """The top-level keys of the file."""

    out: str = option("", "Folder for the results.")
    functions: int = option(
        0, "Number of functions in each world, if the worlds should be smaller; 0 for all.", least=0
    )
    level: str = option(naming.NAMES, "What to forge, as for 'sebench build --forge'.", choices=naming.LEVELS)
    parallel: int = option(0, "Rows that run in parallel.  [default: 1; with gpus, as many as the GPUs allow]", least=0)
    gpus: int = option(0, "GPUs for each row; with 0, rows share the GPU that torch uses.", least=0)
    accelerate: str = option("fsdp.yaml", "Accelerate config for rows on several GPUs, relative to this file.")
    seen: int = option(0, "Number of training questions to ask again with the book closed.", least=0)
    keep: str = option(ALL, "Weights to keep: all, or none (deleted once no row needs them).", choices=(ALL, NONE))
    baseline: str = option("", "The row that others are compared with.  [default: the first]")
    prompts: str = option("", "Templates for training and evaluation.")
    pages: tuple[str, ...] = option((), "Parts of each documentation page to show, in training and evaluation.")
    thinking: str = option("", "Thinking in training and evaluation: on or off.")


TOP_LEVEL = help_texts(_TopLevel)


@dataclass(frozen=True)
class Grid:
    """A whole experiment."""

    file: Path
    out: Path
    worlds: tuple[str, ...]  # seeds or folders
    functions: int
    level: str
    parallel: int
    seen: int
    keep: str
    baseline: str
    methods: tuple[MethodConfig, ...]
    prerequisites: tuple[MethodConfig, ...]  # rows that generate examples for others, and are not compared
    serve: ServeSettings | None
    accelerate: Path
    stages: tuple[str, ...] = ()  # of a stream: the worlds in the order in which they are learned

    @property
    def rows(self) -> tuple[MethodConfig, ...]:
        """All rows: those that generate examples come first, or after the row whose model generates them."""
        after = {
            method.name: [one for one in self.prerequisites if one.start == method.name] for method in self.methods
        }
        first = [one for one in self.prerequisites if not one.start]
        return (*first, *(row for method in self.methods for row in (method, *after[method.name])))

    def method(self, name: str) -> MethodConfig:
        return next(method for method in self.rows if method.name == name)

    def root(self, method: MethodConfig) -> MethodConfig:
        """Return the first row in the chain of `from` that leads to a row."""
        return self.root(self.method(method.start)) if method.start else method

    def first_rounds(self, method: MethodConfig) -> MethodConfig:
        """Return the row with the first rounds of a row of self-play, which may continue those of others."""
        earlier = self.method(method.start) if method.start else None
        return self.first_rounds(earlier) if earlier and earlier.play else method

    def world_folder(self, seed: str) -> Path | None:
        """Return the folder of a world that is built for this experiment, or None for an ordinary world."""
        if not self.functions and self.level == naming.NAMES:
            return None
        parts = [seed, *([f"{self.functions}-functions"] if self.functions else [])]
        parts += [self.level] if self.level != naming.NAMES else []
        return self.out / "worlds" / "-".join(parts)  # worlds with different settings have different folders

    def processes(self, method: MethodConfig) -> int:
        """Return the number of processes that train a row: one per GPU that no server uses; on a CPU, `gpus`."""
        return max(1, method.gpus - self.sampling_gpus(method))

    def sampling_gpus(self, method: MethodConfig) -> int:
        """Return on how many of a row's GPUs a server samples while the row trains on the others."""
        return self.serve.rl_gpus if self.serve and method.method in (*rl.BOOKS, "absolute-zero") else 0


def read(file: Path, out: Path | None = None, worlds: Sequence[str] = ()) -> Grid:
    """Read the experiment in a file; `worlds` replace those in the file."""
    data = read_toml(file, examples="experiments", repeated="method")
    if "stages" in data:
        raise ConfigError(f"{file} is a stream, because it has stages: run it with 'sebench stream {shell(file)}'")
    return from_table(data, file, out, worlds)


def from_table(data: dict[str, Any], file: Path, out: Path | None = None, worlds: Sequence[str] = ()) -> Grid:
    """Return the experiment described by the parsed contents of a file. The file itself is not opened."""
    check_names(data, {"worlds": "Seeds or folders of the worlds.", **TOP_LEVEL}, str(file), TABLES_AS_WRITTEN)
    own_worlds, tables = data.pop("worlds", None), _tables(data, file)
    if worlds:  # they may be folders: nothing is built
        data.pop("functions", None)
        data.pop("level", None)
    chosen = _worlds(list(worlds) or own_worlds, file)
    top = _TopLevel(**check_table(_TopLevel, data, str(file)))
    _check_top(top, chosen, file)
    serve = None
    if tables["serve"] is not None:
        with _naming(where := f"{file}, [serve]"):
            serve = ServeSettings(**check_table(ServeSettings, tables["serve"], where))
    shared = {key: data[key] for key in BOTH if key in data}
    reader = _MethodReader(file, top, tables, shared)
    methods = reader.methods()
    grid = Grid(
        file=file,
        out=out or Path(top.out or f"runs/{file.stem}"),
        worlds=chosen,
        functions=top.functions,
        level=top.level,
        parallel=top.parallel,
        seen=top.seen,
        keep=top.keep,
        baseline=top.baseline or methods[0].name,
        methods=methods,
        prerequisites=reader.prerequisites(methods),
        serve=serve,
        accelerate=file.parent / top.accelerate,
    )
    _check_grid(grid)
    return grid


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Put the file and the table before the text of errors in a `with` block that do not name them."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _check_grid(grid: Grid) -> None:
    """Refuse combinations of settings that no row could run with."""
    names = [method.name for method in grid.methods]
    for row in (one for one in grid.methods if one.play):
        if grid.serve:
            raise ConfigError(
                f"{grid.file}, {row.name}: self-play trains between its rounds, so a server cannot keep the GPU; "
                "remove [serve] or this row"
            )
        if row.gpus > 1 and row.learn.device != CPU:
            raise ConfigError(f"{grid.file}, {row.name}: gpus = {row.gpus}: self-play trains on one GPU; set gpus = 1")
    if grid.baseline not in names:
        raise ConfigError(f"{grid.file}: baseline = {grid.baseline!r}: choose from {', '.join(names)}")
    for method in grid.methods if any(method.gpus for method in grid.methods) else ():
        where = f"{grid.file}, {method.name}: gpus = {method.gpus}"
        if not method.trains:
            continue
        sampling, several, trl = grid.sampling_gpus(method), grid.processes(method) > 1, method.learn.trainer == TRL
        problems = {
            f"rl_gpus = {sampling} in [serve] leaves no GPU for training; lower it, or raise gpus": (
                sampling and method.gpus <= sampling
            ),
            "several GPUs need trainer = 'trl', since 'loop' trains on one": (sampling or several) and not trl,
            f"{method.method} needs trainer = 'loop', which trains on one GPU; set trainer = 'loop' and gpus = 1": (
                trl and method.method not in ON_TRL
            ),
            f"several GPUs need the accelerate file {grid.accelerate}, which is missing": (
                several and not grid.accelerate.is_file()
            ),
        }
        if problem := first_problem(problems):
            raise ConfigError(f"{where}: {problem}")


def _worlds(value: Any, file: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(type(w) in (int, str) for w in value):
        raise ConfigError(f"{file}: worlds must be a list of seeds or folders, such as worlds = [11, 12]")
    worlds = tuple(map(str, value))
    labels = [folder_of(world).name for world in worlds]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ConfigError(f"{file}: two worlds are called '{twice}', so their results would share a folder; rename one")
    return worlds


def _tables(data: dict[str, Any], file: Path) -> dict[str, Any]:
    """Remove the tables from the data and return them by name; [serve] is None if it is missing."""
    tables = {name: data.pop(name, None if name == "serve" else {}) for name in TABLES}
    for name, table in tables.items():
        if not isinstance(table, dict) and table is not None:
            raise ConfigError(f"{file}: {name} must be a table: [{name}]")
    methods = data.pop("method", [])
    if isinstance(methods, dict):
        raise ConfigError(f"{file}: write [[method]] instead of [method]")
    if not isinstance(methods, list) or not methods or not all(isinstance(m, dict) for m in methods):
        raise ConfigError(f"{file}: no [[method]]; an experiment needs at least one")
    return {**tables, "method": methods}


def _check_top(top: _TopLevel, worlds: tuple[str, ...], file: Path) -> None:
    check(top, f"{file}: ")
    built = top.functions or top.level != naming.NAMES
    if built and (folder := next((world for world in worlds if not world.isdecimal()), None)):
        raise ConfigError(
            f"{file}: functions and level apply only to worlds given by seed; {folder!r} is already built"
        )


@dataclass
class _MethodReader:
    """Reads the [[method]] tables and what they need."""

    file: Path
    top: _TopLevel
    tables: Mapping[str, Any]
    shared: Mapping[str, Any]  # by training and evaluation

    def methods(self) -> tuple[MethodConfig, ...]:
        self._run({}, "evaluate")  # an error there must not be blamed on the first row
        configs: dict[str, MethodConfig] = {}
        for number, table in enumerate(self.tables["method"], 1):
            where = f"{self.file}, [[method]] {number}"
            name, method, start, memory = (table.get(key, "") for key in OF_METHODS[:4])
            own = {key: value for key, value in table.items() if key not in OF_METHODS}
            known = (*sorted(METHODS), *memories.METHODS, SELFPLAY, NONE)
            extra = [key for key in own if key != "model"]
            first, writer = (configs.get(one) if isinstance(one, str) else None for one in (start, memory))
            problems = {
                f"name = {name!r}: use letters, digits, spaces and . + - _, since it names a folder": (
                    not isinstance(name, str) or not _NAME.fullmatch(name) or not name.strip(". ")
                ),
                f"name = {name!r} is already used or reserved; choose another": (
                    name in (*configs, ANSWERS, SELFPLAY) or str(name).startswith(f"{ANSWERS} of ")
                ),
                f"method = {method!r}: choose from {', '.join(known)}": method not in known,
                f"from = {start!r}: no method above has this name": start and first is None,
                f"from = {start!r} trains no model to start from; choose a row that does": (
                    first and first.learns_by == NONE
                ),
                f"from = {start!r} has the model of that row; remove model": start and "model" in own,
                f"memory = {memory!r}: no method above with this name writes a memory": (
                    memory and (writer is None or writer.study is None)
                ),
                f"memory = {memory!r}: {method} makes a memory of its own; remove one of them": (
                    memory and method in memories.METHODS
                ),
                f"{''.join(extra[:1])} is a training setting, and '{NONE}' does not train; remove it": (
                    method == NONE and extra
                ),
            }
            if problem := first_problem(problems):
                raise ConfigError(f"{where}: {problem}")
            configs[name] = self._method(where, table, own)
            self._check_sources(where, configs[name], configs)
            if first and first.play and (play := configs[name].play):
                with _naming(where):
                    refuse_other_rounds(f"from = {start!r}", first.play.compared(), first.play.rounds, play)
        self._refuse_unread(configs.values())
        anywhere = any(config.gpus for config in configs.values())
        return tuple(replace(one, gpus=max(one.gpus, int(anywhere))) for one in configs.values())

    def _check_sources(self, where: str, config: MethodConfig, above: Mapping[str, MethodConfig]) -> None:
        """Raise an error if the row names a row as a source of examples that cannot be one."""
        rl, setting = isinstance(config.learn, PolicyConfig), "also_learn" if config.play else "examples"
        for source in config.sources:
            kind, named, name = source.partition(":")
            row = above.get(name) if name != config.name else None
            problems = {
                "RL takes tasks from one source; give only one": rl and len(config.sources) > 1,
                "RL samples its own answers; use gold or self-play, whose tasks it takes": rl and kind == OWN,
                "no method above has this name": named and row is None,
                "that row trains no model": named and kind == OWN and row and row.learns_by == NONE,
                f"that is not a row of self-play; use {OWN}:{name} for answers to training tasks": (
                    named and kind == SELFPLAY and row and row.play is None
                ),
            }
            if kind in (OWN, SELFPLAY) and (problem := first_problem(problems)):
                raise ConfigError(f"{where}: {setting} = {source!r}: {problem}")

    def _refuse_unread(self, configs: Collection[MethodConfig]) -> None:
        """Raise an error for a setting of [learn] that no row reads."""
        read = {
            field.name for one in configs for field in (*fields(one.learn), *(fields(one.study) if one.study else ()))
        }
        if any(one.learns_by != NONE for one in configs) and (
            unread := [key for key in self.tables["learn"] if key not in read]
        ):
            raise ConfigError(f"{self.file}, [learn]: {unread[0]} has no effect on any of the rows; remove it")

    def _method(self, where: str, table: Mapping[str, Any], own: Mapping[str, Any]) -> MethodConfig:
        method, gpus = table["method"], table.get("gpus", self.top.gpus)
        if type(gpus) is not int or gpus < 0:
            raise ConfigError(f"{where}: gpus = {gpus!r}: must be a whole number, 0 or more")
        evaluate = table.get("evaluate", {})
        if not isinstance(evaluate, dict):
            raise ConfigError(f"{where}: evaluate must be a table, such as evaluate = {{ samples = 5 }}")
        learnt = {**self.shared, **self.tables["learn"]}
        common = check_table(EverySetting, learnt, f"{self.file}, [learn]")
        check(EverySetting(**common), f"{self.file}, [learn]: ")  # an error there must not be blamed on the first row
        study = play = None
        named = check_table(EverySetting, {key: own[key] for key in ("model",) if key in own}, where)
        if method in memories.METHODS:
            study, own = self._study(where, method, own, common), named
        if method == SELFPLAY:
            with _naming(where):
                play, own = self._play(where, own, common), named
        start, memory = table.get("from", ""), table.get("memory", "")
        if study or memory:
            evaluate = {"book": [CLOSED], **evaluate}
        with _naming(where):
            learn = configure(
                method if method in METHODS else NONE, common, check_table(EverySetting, own, where), where
            )
            if play:
                learn = play.train_config(learn.model, play.also_learn)
        run = self._run(evaluate, "evaluate", where if evaluate else "")
        if (study or memory) and run.book != (CLOSED,):
            raise ConfigError(f"{where}: a memory is for the closed book; remove book = {list(run.book)} from evaluate")
        return MethodConfig(table["name"], method, start, learn, run, gpus, study, play, memory)

    def _run(self, own: Mapping[str, Any], name: str, where: str = "", **fixed: Any) -> RunConfig:
        """Return the settings of a run: those of a table, overridden by those of one row."""
        where = where or f"{self.file}, [{name}]"
        settings = {**self.shared, **self.tables[name], **own}
        for key in (key for key in NOT_HERE if key in settings):
            raise ConfigError(f"{where}: {key} cannot be set here, because each row sets it; remove it")
        with _naming(where):
            return RunConfig(**{**check_table(RunConfig, settings, where), **fixed})

    def _study(self, where: str, method: str, own: Mapping[str, Any], common: Mapping[str, Any]) -> StudyConfig:
        """Return the settings of a memory method; the model and its thinking mode are those of the other rows."""
        shared = {key: common[key] for key in ("model", "thinking", "device", "credit") if key in common}
        writer = {"model": TrainConfig().model, **shared} if memories.METHODS[method].study else {}
        with _naming(where):
            memories.refuse_unused(method, own)
            study = StudyConfig(**{**writer, **check_table(StudyConfig, own, where)})
            # Whether the model can be loaded is checked with the rows: it may be served.
            memories.refuse_incomplete(method, replace(study, base_url=("http://127.0.0.1/v1",)))
        return study

    def _play(self, where: str, own: Mapping[str, Any], common: Mapping[str, Any]) -> SelfplayConfig:
        """Return the settings of a row of self-play: those of [selfplay] and its own. Its rounds also train with the
        settings of [learn]."""
        mine = self._play_settings(where, own, OF_PLAYS)
        settings = {**self._play_table(), **mine}
        train, model = settings.get("train", SelfplayConfig.train), own.get("model", common.get("model"))
        if train in CONFIGS:  # otherwise `SelfplayConfig` refuses it
            inherited = {name: value for name, value in common.items() if name not in SHARED or name not in settings}
            settings["learn"] = learn_options(train, inherited, settings.get("learn", ()))
        shared = {**self.shared, **({"device": common["device"]} if "device" in common else {})}
        shared = check_table(SelfplayConfig, shared, where)
        return SelfplayConfig(**{**shared, **settings, "model": loaded_as(model or TrainConfig().model), "split": ()})

    def _play_table(self) -> dict[str, Any]:
        """Return the settings in the table [selfplay]."""
        return self._play_settings(f"{self.file}, [selfplay]", self.tables[SELFPLAY], ("model", "train", *OF_PLAYS))

    def _play_settings(self, where: str, table: Mapping[str, Any], not_here: Sequence[str]) -> dict[str, Any]:
        """Return settings of self-play in a table, without the model; `not_here` are those that it cannot have."""
        of_plays = {one.name for one in fields(SelfplayConfig)}
        for key in table:
            if key in not_here:
                raise ConfigError(f"{where}: {key} cannot be set here, because the experiment sets it; remove it")
            if key not in of_plays and key in {one.name for one in fields(EverySetting)}:
                raise ConfigError(
                    f"{where}: {key} is a setting of training; set it in [learn], or as learn = ['{key}=...']"
                )
        return check_table(SelfplayConfig, {key: table[key] for key in table if key != "model"}, where)

    def prerequisites(self, methods: Sequence[MethodConfig]) -> tuple[MethodConfig, ...]:
        """Return the rows that generate examples for others."""
        rows, names = [], {method.name for method in methods}
        for source in dict.fromkeys(source for method in methods for source in method.sources):
            kind, _, start = source.partition(":")
            if (name := generated_by(source)) in ("", *names):
                continue
            users = [method for method in methods if name in method.needs]
            models = {method.learn.model for method in users}
            if not start and (len(models) > 1 or any(method.start for method in users)):
                raise ConfigError(
                    f"{self.file}: rows with examples = {source!r} must start from the same model, since its answers "
                    "are sampled once for all of them"
                )
            model = self._root(start, methods).learn.model if start else users[0].learn.model
            learn = TrainConfig(model=model, device=users[0].learn.device)
            make = self._answers if kind == OWN else self._collected
            rows.append(make(name, start, learn, max(method.gpus for method in users)))
        return tuple(rows)

    def _root(self, name: str, methods: Sequence[MethodConfig]) -> MethodConfig:
        """Return the row at which the chain of `from` that leads to a row begins."""
        row = next(method for method in methods if method.name == name)
        return self._root(row.start, methods) if row.start else row

    def _answers(self, name: str, start: str, learn: TrainConfig, gpus: int) -> MethodConfig:
        run = self._run({}, ANSWERS, split=(splits.TRAIN,), book=(OPEN,))
        return MethodConfig(name, ANSWERS, start, learn, run, gpus)

    def _collected(self, name: str, start: str, learn: TrainConfig, gpus: int) -> MethodConfig:
        """Return a row of self-play that trains and evaluates nothing: the rows that use its examples do."""
        with _naming(where := f"{self.file}, [selfplay]"):
            shared = check_table(SelfplayConfig, self.shared, where)
            fixed: dict[str, Any] = {"model": loaded_as(learn.model), "train": NONE, "split": ()}
            play = SelfplayConfig(**{**shared, **self._play_table(), **fixed})
        return MethodConfig(name, SELFPLAY, start, learn, self._run({}, "evaluate"), gpus, play=play)
