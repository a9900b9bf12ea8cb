"""A task as it is written in the bank, and how the bank is read.

    @task
    def average_daily_sales(sales: Matrix(Int(0, 200), rows=(3, 6), cols=7)):
        '''A chain logs one row of daily `sales` per shop. Return the average for each day, as a list.'''
        return np.mean(sales, axis=0)

The docstring is the question, the annotations say how inputs are drawn, the body is the gold solution. Which functions
a task uses is read from its code by `tasks/gold.py`, not declared.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from sebench.bank.kinds import InputKind, Mood
from sebench.base.errors import BankError

PARTS = ("single", "multi", "transfer", "plan")


@dataclass(frozen=True)
class Definition:
    """One task of the bank."""

    name: str
    part: str  # one of PARTS
    file: Path
    line: int
    question: str
    inputs: Mapping[str, InputKind]
    gold: Callable[..., Any]
    source: str  # of the gold solution alone: no decorator, annotations or docstring
    lengths: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # ranges of the shared lengths
    without: frozenset[Mood] = frozenset()  # moods in which the question makes no sense
    nonfinite: bool = False  # whether nan and infinity may be in the answer
    equivalent: Mapping[str, str] = field(default_factory=dict)  # mutants that are the same program here, and why
    usage: str = ""  # of a transfer task: what no training task of its function shows (`tasks/transfer.py`)
    page: str = ""  # the page's words about it, if it is not simply a parameter
    folder: str = ""  # name of the bank folder that it is from; "" for the built-in bank
    rows: tuple[Mapping[str, Any], ...] = ()  # inputs that are listed instead of drawn; then all kinds are `Listed`

    @property
    def place(self) -> str:
        return f"{self.file.parent.name}/{self.file.name}:{self.line}: task '{self.name}'"

    def error(self, rule: str) -> BankError:
        return BankError(f"{self.place}: {rule}")


@dataclass(frozen=True)
class MarkedTask:
    """What `@task` turns a function into until its file is read."""

    gold: Callable[..., Any]
    without: tuple[str, ...]
    nonfinite: bool
    equivalent: Mapping[str, str]
    usage: str
    page: str
    lengths: Mapping[str, tuple[int, int]]


def task(
    gold: Callable[..., Any] | None = None,
    *,
    without: tuple[str, ...] = (),
    nonfinite: bool = False,
    equivalent: Mapping[str, str] = MappingProxyType({}),
    usage: str = "",
    page: str = "",
    **lengths: tuple[int, int],
) -> Any:
    """Mark a function as a task: `@task`, or `@task(n=(3, 8))` to give a shared length its range.

    `without` names moods that the question excludes (say why in a comment); `nonfinite=True` allows nan and infinity in
    the answer; `equivalent` gives the reason why a mutant that `sebench tasks check` found is the same program here;
    `usage` and `page` are for transfer tasks.
    """
    if gold is None:
        return lambda function: MarkedTask(function, without, nonfinite, equivalent, usage, page, lengths)
    return MarkedTask(gold, without, nonfinite, equivalent, usage, page, lengths)


@cache
def bank() -> tuple[Definition, ...]:
    """Every task of the bank, in file order."""
    by_name: dict[str, Definition] = {}
    for part in PARTS:
        package = importlib.import_module(f"sebench.bank.{part}")
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
            for definition in read(_import_file(f"{package.__name__}.{info.name}")):
                if definition.name in by_name:
                    raise definition.error(f"the name is already used by {by_name[definition.name].place}")
                by_name[definition.name] = definition
    return tuple(by_name.values())


def _import_file(name: str) -> ModuleType:
    """A file of the bank, imported; errors are reported with file and line."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        file = "/".join(name.split(".")[-2:]) + ".py"
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith(file)]
        line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else 0
        raise BankError(f"{file}:{line}: {type(error).__name__}: {error}") from None


def read(module: ModuleType) -> tuple[Definition, ...]:
    """The tasks of one file."""
    file = Path(module.__file__ or "")
    tree = ast.parse(file.read_text("utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return tuple(
        _definition(marked, functions[name], file)
        for name, marked in vars(module).items()
        if isinstance(marked, MarkedTask)
    )


def _definition(marked: MarkedTask, node: ast.FunctionDef, file: Path) -> Definition:
    place = f"{file.parent.name}/{file.name}:{node.lineno}: task '{node.name}'"
    question = ast.get_docstring(node)
    if not question:
        raise BankError(f"{place}: it has no docstring, and so no question")
    parameters = inspect.signature(marked.gold).parameters
    if not parameters:
        raise BankError(f"{place}: it has no parameters")
    for parameter in parameters.values():
        if not isinstance(parameter.annotation, InputKind):
            raise BankError(f"{place}: parameter '{parameter.name}' has no kind; annotate it from sebench.bank.kinds")
    try:
        without = frozenset(Mood(mood) for mood in marked.without)
    except ValueError as error:
        raise BankError(f"{place}: {error}; the styles are {', '.join(Mood)}") from None
    if Mood.PLAIN in without:
        raise BankError(f"{place}: plain cases cannot be left out")
    node.decorator_list, node.body = [], node.body[1:]
    for argument in node.args.args:
        argument.annotation = None
    return Definition(
        name=node.name,
        part=file.parent.name,
        file=file,
        line=node.lineno,
        question=" ".join(question.split()),
        inputs={name: p.annotation for name, p in parameters.items()},
        gold=marked.gold,
        source=f"import numpy as np\n\n\n{ast.unparse(node)}\n",
        lengths=marked.lengths,
        without=without,
        nonfinite=marked.nonfinite,
        equivalent=marked.equivalent,
        usage=marked.usage,
        page=marked.page,
    )
