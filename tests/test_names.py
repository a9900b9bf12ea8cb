"""A lint for names in the source that say nothing."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import sebench

ROOT = Path(sebench.__file__).parent
VAGUE = frozenset("found said made told shown given taken asked wanted meant".split())
# Tasks are not ours to name so, and the runtime is part of every world: other names would be other worlds.
LEFT_OUT = ("bank", "forge/runtime")
COLUMNS = 120


def sources() -> Iterator[Path]:
    for file in sorted(ROOT.rglob("*.py")):
        if not file.relative_to(ROOT).as_posix().startswith(LEFT_OUT):
            yield file


@cache
def trees() -> dict[Path, ast.Module]:
    return {file: ast.parse(file.read_text("utf-8")) for file in sources()}


def bound(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a program binds, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name.strip("_"), node.lineno


def test_no_name_is_a_bare_participle() -> None:
    vague = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file, tree in trees().items()
        for name, line in bound(tree)
        if name in VAGUE
    ]
    assert vague == []


def test_no_class_has_the_name_of_another() -> None:
    classes = Counter(
        node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in classes.items() if count > 1] == []


def test_no_comment_stands_behind_a_lone_bracket() -> None:
    lost = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in sources()
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if line.strip().partition("#")[0].strip() in (")", "]", "}", "),", "],", "},", "):")
        and "#" in line
        and "fmt:" not in line
        and "type:" not in line
    ]
    assert lost == []
