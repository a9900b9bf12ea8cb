"""The TOML file of an experiment: worlds x methods, how each method is trained, and how all are evaluated.

    worlds = [11, 12]            # seeds (built if missing) or folders
    functions = 24               # size of the worlds built for this experiment; default: whole worlds of these seeds
    gpus = 8                     # of each row; default: rows share the GPU that torch uses
    prompts = "short"            # templates of training and evaluation
    [serve]                      # vLLM servers answer; settings of `models/vllm.py`
    [evaluate]                   # settings of `sebench run`
    [answers]                    # the same, for the model's own open-book answers to training tasks (examples = "own")
    [selfplay]                   # settings of `sebench selfplay` (examples = "selfplay")
    [learn]                      # settings of `sebench learn`, for all methods
    [[method]]
    name = "Closed-SFT"          # its name in tables
    method = "closed-sft"        # of `sebench learn` or of `sebench memory`, or "none"
    form = "recall"              # any setting of that method
    evaluate = { samples = 5 }   # settings of [evaluate] that differ in this row
    [[method]]
    name = "Closed-SFT-RL"
    method = "closed-sft-rl"
    from = "Closed-SFT"          # starts from the weights of that row in the same world

Every error is one line that names the file and the place. This module only reads the file: no world is opened or built.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.settings import check, check_table, option, read_toml
from sebench.forge.names import naming
from sebench.memory.methods import make as memories
from sebench.memory.methods.config import StudyConfig
from sebench.models.vllm import ServeSettings
from sebench.rollout.config import RunConfig
from sebench.selfplay.config import SelfplayConfig
from sebench.tasks import splits
from sebench.train import rl
from sebench.train.config import NONE, TRL, EverySetting, TrainConfig, configure
from sebench.train.data.examples import GOLD
from sebench.train.methods import METHODS, ON_TRL
from sebench.world.prompts import CLOSED, OPEN

ALL = "all"
BOTH = ("prompts", "pages", "thinking")  # settings of both training and evaluation, so that prompts match
NOT_HERE = ("model", "base_url", "tasks", "memory")  # not allowed in [evaluate] and [answers]: the rows set them
OF_METHODS = ("name", "method", "from", "gpus", "evaluate")
OF_PLAYS = ("model", "base", "base_url", "train", "split", *BOTH)  # not allowed in [selfplay]
TABLES = ("learn", "evaluate", "answers", "selfplay", "serve")
# As examples of a row: made by the experiment, once for all rows of a world. As methods: the rows that make them.
OWN, SELFPLAY = "own", "selfplay"
ANSWERS = "answers"
_MADE_BY = {OWN: ANSWERS, SELFPLAY: SELFPLAY}
_NAME = re.compile(r"[\w.+][\w.+ -]*")


@dataclass(frozen=True)
class MethodConfig:
    """One row of the comparison, or what such rows need first."""

    name: str
    method: str
    start: str  # name of the row whose weights it starts from; "" for the model in its settings
    learn: TrainConfig
    evaluate: RunConfig
    gpus: int = 0  # its own GPUs; 0: it shares one
    study: StudyConfig | None = None  # of a method that writes a memory
    play: SelfplayConfig | None = None  # of a self-play

    @property
    def trains(self) -> bool:
        return self.method in METHODS

    @property
    def needs(self) -> str:
        """The name of the row that makes its examples; "" for none."""
        return _MADE_BY.get(getattr(self.learn, "examples", ""), "")

    @property
    def plannable(self) -> TrainConfig:
        """Its training, with gold in the place of examples that may not exist yet."""
        changed: dict[str, Any] = {"examples": GOLD} if self.needs else {}
        return replace(self.learn, **changed)

    @property
    def after(self) -> tuple[str, ...]:
        """The names of the rows that must be done before it starts."""
        return tuple(filter(None, (self.start, self.needs)))


@dataclass(frozen=True)
class _TopLevel:
    """The keys above the tables."""

    out: str = option("", "Folder of the results.")
    functions: int = option(0, "Functions per world, for small worlds.", least=0)
    level: str = option(naming.NAMES, "What is forged.", choices=naming.LEVELS)
    parallel: int = option(0, "Rows at a time.  [default: 1, or with gpus as many as there are GPUs for]", least=0)
    gpus: int = option(0, "GPUs of each row; 0: rows share the GPU that torch uses.", least=0)
    accelerate: str = option("fsdp.yaml", "The accelerate file of rows on several GPUs, beside this file.")
    seen: int = option(0, "Training questions to ask again, closed book.", least=0)
    keep: str = option(ALL, "all, or none: delete weights once nothing needs them.", choices=(ALL, NONE))
    baseline: str = option("", "The row that others are compared with.  [default: the first]")
    prompts: str = option("", "Templates of training and evaluation.")
    pages: tuple[str, ...] = option((), "Parts of pages in training and evaluation.")
    thinking: str = option("", "on or off, in training and evaluation.")


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
    prerequisites: tuple[MethodConfig, ...]  # rows that make examples for others, and are not compared
    serve: ServeSettings | None
    accelerate: Path

    def method(self, name: str) -> MethodConfig:
        return next(method for method in (*self.prerequisites, *self.methods) if method.name == name)

    def processes(self, method: MethodConfig) -> int:
        """How many processes train a row: one for each of its GPUs that no server takes. On a CPU as many as `gpus`."""
        return max(1, method.gpus - self.sampling_gpus(method))

    def sampling_gpus(self, method: MethodConfig) -> int:
        """The GPUs of a row on which a server samples while the others train."""
        return self.serve.rl_gpus if self.serve and method.method in (*rl.BOOKS, "absolute-zero") else 0


def read(file: Path, out: Path | None = None, worlds: Sequence[str] = ()) -> Grid:
    """The experiment of a file; `worlds` take the place of its own."""
    data = read_toml(file)
    own_worlds, tables = data.pop("worlds", None), _tables(data, file)
    if worlds:  # they may be folders: nothing is built
        data.pop("functions", None)
        data.pop("level", None)
    chosen = _worlds(list(worlds) or own_worlds, file)
    top = _TopLevel(**check_table(_TopLevel, data, str(file)))
    _check_top(top, chosen, file)
    serve = (
        ServeSettings(**check_table(ServeSettings, tables["serve"], f"{file}, [serve]")) if tables["serve"] else None
    )
    serve = serve or (ServeSettings() if tables["serve"] == {} else None)
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


def _check_grid(grid: Grid) -> None:
    """Refuse combinations of settings that no row could run with."""
    names = [method.name for method in grid.methods]
    if grid.baseline not in names:
        raise ConfigError(f"{grid.file}: baseline = {grid.baseline!r}: there are {', '.join(names)}")
    for method in grid.methods if any(method.gpus for method in grid.methods) else ():
        where = f"{grid.file}, {method.name}: gpus = {method.gpus}"
        if not method.trains:
            continue
        if (sampling := grid.sampling_gpus(method)) and method.gpus <= sampling:
            raise ConfigError(f"{where}: rl_gpus = {sampling} in [serve] leaves none to train; lower it, or raise gpus")
        if (sampling or grid.processes(method) > 1) and method.learn.trainer != TRL:
            raise ConfigError(f"{where}: several GPUs need trainer = 'trl'; the loop trains on one")
        if method.learn.trainer == TRL and method.method not in ON_TRL:
            raise ConfigError(f"{where}: {method.method} trains on one GPU with trainer = 'loop'; set gpus = 1")
        if grid.processes(method) > 1 and not grid.accelerate.is_file():
            raise ConfigError(f"{where}: several GPUs need the accelerate file {grid.accelerate}, which is missing")


def _worlds(value: Any, file: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(type(w) in (int, str) for w in value):
        raise ConfigError(f"{file}: worlds must be a list of seeds or folders, such as worlds = [11, 12]")
    worlds = tuple(map(str, value))
    labels = [Path(world).name for world in worlds]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ConfigError(f"{file}: two worlds are called '{twice}'; their results would share a folder")
    return worlds


def _tables(data: dict[str, Any], file: Path) -> dict[str, Any]:
    """Remove the tables from the data and return them; None for a [serve] that is not there."""
    tables = {name: data.pop(name, None if name == "serve" else {}) for name in TABLES}
    for name, table in tables.items():
        if not isinstance(table, dict) and table is not None:
            raise ConfigError(f"{file}: {name} must be a table, [{name}]")
    methods = data.pop("method", [])
    if not isinstance(methods, list) or not methods or not all(isinstance(m, dict) for m in methods):
        raise ConfigError(f"{file}: no [[method]]; an experiment needs at least one")
    return {**tables, "method": methods}


def _check_top(top: _TopLevel, worlds: tuple[str, ...], file: Path) -> None:
    check(top, f"{file}: ")
    built = top.functions or top.level != naming.NAMES
    if built and (folder := next((world for world in worlds if not world.isdigit()), None)):
        raise ConfigError(f"{file}: functions and level are for worlds given by seed; {folder!r} is built already")


@dataclass
class _MethodReader:
    """Reads the [[method]] tables and what they need."""

    file: Path
    top: _TopLevel
    tables: Mapping[str, Any]
    shared: Mapping[str, Any]  # of training and evaluation

    def methods(self) -> tuple[MethodConfig, ...]:
        self._run({}, "evaluate")  # a mistake there is not that of the first row
        configs: dict[str, MethodConfig] = {}
        for number, table in enumerate(self.tables["method"], 1):
            where = f"{self.file}, [[method]] {number}"
            name, method, start = (table.get(key, "") for key in OF_METHODS[:3])
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise ConfigError(
                    f"{where}: name = {name!r}: use letters, digits, spaces and . + - _, since it names a folder"
                )
            if name in configs or name in _MADE_BY.values():
                raise ConfigError(f"{where}: there is another method named '{name}'")
            if method not in (*METHODS, *memories.METHODS, NONE):
                known = ", ".join([*sorted(METHODS), *memories.METHODS, NONE])
                raise ConfigError(f"{where}: method = {method!r}: there are {known}")
            if start and start not in configs:
                raise ConfigError(f"{where}: from = {start!r}: there is no such method above it")
            own = {key: value for key, value in table.items() if key not in OF_METHODS}
            if start and ("model" in own or method not in METHODS):
                raise ConfigError(
                    f"{where}: from = {start!r} sets the weights; remove the model or the method {method}"
                )
            if method == NONE and (extra := next((key for key in own if key != "model"), None)):
                raise ConfigError(f"{where}: {extra} is a training setting, and '{NONE}' does not train; remove it")
            configs[name] = self._method(where, table, own)
        anywhere = any(config.gpus for config in configs.values())
        return tuple(replace(one, gpus=max(one.gpus, int(anywhere))) for one in configs.values())

    def _method(self, where: str, table: Mapping[str, Any], own: Mapping[str, Any]) -> MethodConfig:
        method, gpus = table["method"], table.get("gpus", self.top.gpus)
        if type(gpus) is not int or gpus < 0:
            raise ConfigError(f"{where}: gpus = {gpus!r} is not a whole number of at least 0")
        evaluate = table.get("evaluate", {})
        if not isinstance(evaluate, dict):
            raise ConfigError(f"{where}: evaluate must be a table, such as evaluate = {{ samples = 5 }}")
        learnt = {**self.shared, **self.tables["learn"]}
        common = check_table(EverySetting, learnt, where)
        study = None
        if method in memories.METHODS:
            study, own = self._study(where, method, own, common), {key: own[key] for key in ("model",) if key in own}
            evaluate = {"book": [CLOSED], **evaluate}
        learn_as = method if method in METHODS else NONE
        learn = configure(learn_as, common, check_table(EverySetting, own, where), where)
        run = self._run(evaluate, "evaluate", where if evaluate else "")
        return MethodConfig(table["name"], method, table.get("from", ""), learn, run, gpus, study)

    def _run(self, own: Mapping[str, Any], name: str, where: str = "", **fixed: Any) -> RunConfig:
        """The settings of a run: those of a table, and those of one row."""
        where = where or f"{self.file}, [{name}]"
        settings = {**self.shared, **self.tables[name], **own}
        for key in (key for key in NOT_HERE if key in settings):
            raise ConfigError(f"{where}: {key} cannot be set here, because each row sets it; remove it")
        try:
            return RunConfig(**{**check_table(RunConfig, settings, where), **fixed})
        except ConfigError as error:
            raise ConfigError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None

    def _study(self, where: str, method: str, own: Mapping[str, Any], common: Mapping[str, Any]) -> StudyConfig:
        """The settings of a memory; the model and its thinking are those of the other rows."""
        try:
            memories.refuse_unused(method, own)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        shared = {key: common[key] for key in ("model", "thinking", "device", "credit") if key in common}
        writer = {"model": TrainConfig().model, **shared} if memories.METHODS[method].study else {}
        study = StudyConfig(**{**writer, **check_table(StudyConfig, own, where)})
        # Whether the model can be loaded is checked with the rows: it may be served.
        memories.refuse_incomplete(method, replace(study, base_url=("http://127.0.0.1/v1",)))
        return study

    def prerequisites(self, methods: Sequence[MethodConfig]) -> tuple[MethodConfig, ...]:
        """The rows that make the examples of others."""
        rows = []
        for examples, name in _MADE_BY.items():
            users = [method for method in methods if method.needs == name]
            if not users:
                continue
            models = {method.learn.model for method in users}
            if len(models) > 1 or any(method.start for method in users):
                raise ConfigError(
                    f"{self.file}: rows with examples = {examples!r} must start from the same model, since its answers "
                    "are made once for all of them"
                )
            learn = TrainConfig(model=models.pop(), device=users[0].learn.device)
            rows.append(getattr(self, f"_{name}")(learn, max(method.gpus for method in users)))
        return tuple(rows)

    def _answers(self, learn: TrainConfig, gpus: int) -> MethodConfig:
        run = self._run({}, ANSWERS, split=(splits.TRAIN,), book=(OPEN,))
        return MethodConfig(ANSWERS, ANSWERS, "", learn, run, gpus)

    def _selfplay(self, learn: TrainConfig, gpus: int) -> MethodConfig:
        where, table = f"{self.file}, [selfplay]", self.tables[SELFPLAY]
        for key in (key for key in OF_PLAYS if key in table):
            raise ConfigError(f"{where}: {key} cannot be set here, because the rows set it; remove it")
        # Nothing is trained or evaluated in a play: the rows that use its examples do that.
        settings = {**self.shared, **table, "model": learn.model, "train": NONE, "split": ""}
        play = SelfplayConfig(**check_table(SelfplayConfig, settings, where))
        return MethodConfig(SELFPLAY, SELFPLAY, "", learn, self._run({}, "evaluate"), gpus, play=play)
