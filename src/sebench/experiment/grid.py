"""The TOML file of an experiment: worlds x methods, how each method is trained, and how all are evaluated.

    worlds = [11, 12]            # seeds (built if missing) or folders
    functions = 24               # size of the worlds built for this experiment; default: whole worlds of these seeds
    prompts = "short"            # templates of training and evaluation
    [evaluate]                   # settings of `sebench run`
    [learn]                      # settings of `sebench learn`, for all methods
    [[method]]
    name = "Closed-SFT"          # its name in tables
    method = "closed-sft"
    form = "recall"              # any setting of `sebench learn`
    [[method]]
    name = "Closed-SFT-RL"
    method = "closed-sft-rl"
    from = "Closed-SFT"          # starts from the weights of that row in the same world

Every error is one line that names the file and the place. This module only reads the file: no world is opened or built.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.settings import check, check_table, option, read_toml
from sebench.forge.names import naming
from sebench.rollout.config import RunConfig
from sebench.train.config import NONE, EverySetting, TrainConfig, configure
from sebench.train.methods import METHODS

ALL = "all"
BOTH = ("prompts", "pages", "thinking")  # settings of both training and evaluation, so that prompts match
NOT_HERE = ("model", "base_url", "tasks")  # not allowed in [evaluate]: the rows set them
OF_METHODS = ("name", "method", "from")
_NAME = re.compile(r"[\w.+][\w.+ -]*")


@dataclass(frozen=True)
class MethodConfig:
    """One row of the comparison."""

    name: str
    method: str
    start: str  # name of the row whose weights it starts from; "" for the model in its settings
    learn: TrainConfig


@dataclass(frozen=True)
class _TopLevel:
    """The keys above the tables."""

    out: str = option("", "Folder of the results.")
    functions: int = option(0, "Functions per world, for small worlds.", least=0)
    level: str = option(naming.NAMES, "What is forged.", choices=naming.LEVELS)
    parallel: int = option(1, "Rows trained and evaluated in parallel.", least=1)
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
    evaluate: RunConfig

    def method(self, name: str) -> MethodConfig:
        return next(method for method in self.methods if method.name == name)


def read(file: Path, out: Path | None = None) -> Grid:
    """The experiment of a file."""
    data = read_toml(file)
    worlds, tables = _worlds(data.pop("worlds", None), file), _tables(data, file)
    top = _TopLevel(**check_table(_TopLevel, data, str(file)))
    _check_top(top, worlds, file)
    shared = {key: data[key] for key in BOTH if key in data}
    for key in (key for key in NOT_HERE if key in tables["evaluate"]):
        raise ConfigError(f"{file}, [evaluate]: {key} cannot be set here, because each row sets it; remove it")
    evaluate = RunConfig(**check_table(RunConfig, {**shared, **tables["evaluate"]}, f"{file}, [evaluate]"))
    methods = _methods(tables["method"], {**shared, **tables["learn"]}, file)
    names = [method.name for method in methods]
    if top.baseline and top.baseline not in names:
        raise ConfigError(f"{file}: baseline = {top.baseline!r}: there are {', '.join(names)}")
    return Grid(
        file=file,
        out=out or Path(top.out or f"runs/{file.stem}"),
        worlds=worlds,
        functions=top.functions,
        level=top.level,
        parallel=top.parallel,
        seen=top.seen,
        keep=top.keep,
        baseline=top.baseline or names[0],
        methods=methods,
        evaluate=evaluate,
    )


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
    """Remove the tables from the data and return them."""
    learn, evaluate, methods = data.pop("learn", {}), data.pop("evaluate", {}), data.pop("method", [])
    for name, table in (("learn", learn), ("evaluate", evaluate)):
        if not isinstance(table, dict):
            raise ConfigError(f"{file}: {name} must be a table, [{name}]")
    if not isinstance(methods, list) or not methods or not all(isinstance(m, dict) for m in methods):
        raise ConfigError(f"{file}: no [[method]]; an experiment needs at least one")
    return {"learn": learn, "evaluate": evaluate, "method": methods}


def _check_top(top: _TopLevel, worlds: tuple[str, ...], file: Path) -> None:
    check(top, f"{file}: ")
    built = top.functions or top.level != naming.NAMES
    if built and (folder := next((world for world in worlds if not world.isdigit()), None)):
        raise ConfigError(f"{file}: functions and level are for worlds given by seed; {folder!r} is built already")


def _methods(tables: list[dict[str, Any]], shared: Mapping[str, Any], file: Path) -> tuple[MethodConfig, ...]:
    configs: dict[str, MethodConfig] = {}
    for number, table in enumerate(tables, 1):
        where = f"{file}, [[method]] {number}"
        name, method, start = (table.get(key, "") for key in OF_METHODS)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ConfigError(
                f"{where}: name = {name!r}: use letters, digits, spaces and . + - _, since it names a folder"
            )
        if name in configs:
            raise ConfigError(f"{where}: there is another method named '{name}'")
        if method not in (*METHODS, NONE):
            raise ConfigError(f"{where}: method = {method!r}: there are {', '.join(sorted(METHODS))}, {NONE}")
        if start and start not in configs:
            raise ConfigError(f"{where}: from = {start!r}: there is no such method above it")
        own = {key: value for key, value in table.items() if key not in OF_METHODS}
        if start and ("model" in own or method == NONE):
            raise ConfigError(f"{where}: from = {start!r} sets the weights; remove the model or the method 'none'")
        if method == NONE and (extra := next((key for key in own if key != "model"), None)):
            raise ConfigError(f"{where}: {extra} is a training setting, and '{NONE}' does not train; remove it")
        learn = configure(
            method, check_table(EverySetting, shared, where), check_table(EverySetting, own, where), where
        )
        configs[name] = MethodConfig(name, method, start, learn)
    return tuple(configs.values())
