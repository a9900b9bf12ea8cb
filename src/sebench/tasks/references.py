"""Provides correct programs other than gold, in a world's names: gold with a function replaced by a stand-in, and
programs written for one task. Gold with a function replaced by a recorded alternative is tried too; the judge runs it
to find out whether it is right.

They are part of the bank (`bank/references/`), not of a world: a world's files do not depend on them. The judge uses
them for credit. Programs that need functions the world lacks are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from threading import Lock

from sebench.bank.definition import Definition, bank
from sebench.base.records import CoreFunction, Task
from sebench.forge.names.naming import Names
from sebench.forge.translate.translate import Translator, Untranslatable

STAND_IN = "stand_in_for_gold"
IMPORT = "import numpy as np\n"
_PARSING = Lock()  # Python 3.11 confuses two threads that parse at the same time (a SystemError)


@dataclass(frozen=True)
class StandIn:
    """A NumPy function reimplemented with other functions."""

    function: str
    by: tuple[str, ...]
    source: str  # one `def`, whose parameters have NumPy's names


@dataclass(frozen=True)
class AlternativeProgram:
    """Another correct program for a task."""

    work: Mapping[str, str]  # gold's function -> the function that replaces it here
    source: str


@cache
def stand_ins() -> Mapping[str, tuple[StandIn, ...]]:
    """Return the stand-ins by the function that they replace."""
    by_function: dict[str, list[StandIn]] = {}
    for node, mark in _decorated("instead_of"):
        function, by = ast.literal_eval(mark.args[0]), ast.literal_eval(mark.keywords[0].value)
        by_function.setdefault(function, []).append(StandIn(function, by, f"{IMPORT}\n\n{ast.unparse(node)}\n"))
    return {function: tuple(some) for function, some in by_function.items()}


@cache
def programs() -> Mapping[str, tuple[AlternativeProgram, ...]]:
    """Return other correct programs by task."""
    by_task: dict[str, list[AlternativeProgram]] = {}
    for node, mark in _decorated("another"):
        work = {one.arg or "": ast.literal_eval(one.value) for one in mark.keywords if one.arg}
        for one in mark.keywords:
            work |= {} if one.arg else ast.literal_eval(one.value)  # **{"linalg.cond": "linalg.norm"}
        by_task.setdefault(node.name, []).append(AlternativeProgram(work, f"{IMPORT}\n\n{ast.unparse(node)}\n"))
    return {task: tuple(some) for task, some in by_task.items()}


def _decorated(decorator: str) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """Yield the functions in the bank's reference files that have this decorator, with the decorator removed."""
    folder = resources.files("sebench.bank") / "references"
    for file in sorted((f for f in folder.iterdir() if f.name.endswith(".py")), key=lambda f: f.name):
        for node in ast.parse(file.read_text("utf-8")).body:
            match node:
                case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id=name)) as mark]) if name == decorator:
                    node.decorator_list = []
                    yield node, mark


def others(task: Task, one: CoreFunction, names: Names) -> Iterator[tuple[str, str]]:
    """Yield correct programs other than gold that do without a core function: each in the world's names, with the
    forged path of the function that takes its place.
    """
    with _PARSING:
        programs = list(_others(task, one, names))
    yield from programs


def _others(task: Task, one: CoreFunction, names: Names) -> Iterator[tuple[str, str]]:
    translator = Translator(names)
    for program in programs().get(task.id, ()):
        if (liar := names.functions.get(program.work.get(one.path, ""))) is not None:
            try:
                yield translator.code(program.source), liar
            except Untranslatable:
                continue
    usable = [f for f in one.alternatives if f in names.functions]
    if names.changes and (definition := _definitions().get(task.id)):
        yield from _translated_others(definition.source, one, translator, usable)
        return
    for stand_in in stand_ins().get(one.path, ()):
        used = [f for f in stand_in.by if f in usable]
        try:
            text = substitute(task.gold, one.path, stand_in, names) if used else ""
        except Untranslatable:
            continue
        yield from ((text, names.functions[f]) for f in used if text)
    for function in usable:
        for without_options in (False, True):
            gold = ast.parse(task.gold)
            _ReplaceFunction(names.forged(one.path), names.forged(function), without_options).visit(gold)
            yield ast.unparse(ast.fix_missing_locations(gold)), names.functions[function]


def _translated_others(
    source: str, one: CoreFunction, translator: Translator, usable: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Like `_others`, for worlds with changed functions: replace a function in the NumPy version of gold, then
    translate it."""
    forged = translator.names.functions
    programs: list[tuple[ast.Module, str]] = []
    for stand_in in stand_ins().get(one.path, ()):
        program, replacement = ast.parse(source), ast.parse(stand_in.source)
        [function] = [node for node in replacement.body if isinstance(node, ast.FunctionDef)]
        function.name = STAND_IN
        _ReplaceFunction(f"np.{one.path}", STAND_IN).visit(program)
        program.body = [*replacement.body, *program.body]
        programs += [(program, f) for f in stand_in.by if f in usable]
    for function_path in usable:
        for without_options in (False, True):
            program = ast.parse(source)
            _ReplaceFunction(f"np.{one.path}", f"np.{function_path}", without_options).visit(program)
            programs.append((program, function_path))
    for program, function_path in programs:
        try:
            yield translator.code(ast.unparse(ast.fix_missing_locations(program))), forged[function_path]
        except Untranslatable:
            continue


@cache
def _definitions() -> Mapping[str, Definition]:
    return {definition.name: definition for definition in bank()}


def substitute(gold: str, path: str, stand_in: StandIn, names: Names) -> str:
    """Return gold with a function replaced by a stand-in."""
    written = ast.parse(Translator(names).code(stand_in.source))
    [function] = [node for node in written.body if isinstance(node, ast.FunctionDef)]
    function.name = STAND_IN
    _RenameParameters({p.arg: names.parameter(p.arg) for p in function.args.args}).visit(function)
    program = ast.parse(gold)
    _ReplaceFunction(names.forged(path), STAND_IN).visit(program)
    before = [node for node in written.body if isinstance(node, ast.Import)]
    return ast.unparse(ast.fix_missing_locations(ast.Module([*before, function, *program.body], [])))


class _RenameParameters(ast.NodeTransformer):
    """Renames the parameters of a function to the world's names for them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node


class _ReplaceFunction(ast.NodeTransformer):
    """Replaces a function of the package by another one, keeping or dropping the options that it is called with."""

    def __init__(self, path: str, other: str, without_options: bool = False) -> None:
        self.path, self.other, self.without_options = path, ast.parse(other, mode="eval").body, without_options

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self.without_options and ast.unparse(node.func) == self.path:
            node.keywords = []
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self.other if ast.unparse(node) == self.path else self.generic_visit(node)
