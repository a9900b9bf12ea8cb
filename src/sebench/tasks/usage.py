"""Measures how similarly two gold (reference) solutions use their functions.

The split keeps the task that is least like the others for testing: a task that matches a training solution except for
its variables can be answered by imitation. Only the code is read: functions, options with their literal values, number
of arguments, operators and indexing.

Not covered: the shapes and values of inputs.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache

from sebench.tasks import gold


def likeness(one: str, other: str) -> float:
    """Return the similarity of two programs: from 0 if they use nothing in the same way, to 1 if they differ only in
    variables."""
    if program(one) == program(other):
        return 1.0
    mine, theirs = usage(one), usage(other)
    return len(mine & theirs) / (len(mine | theirs) + 1)  # below 1: the programs are not the same


@cache
def program(source: str) -> str:
    """Return the program with its variables numbered in order of appearance."""
    tree = ast.parse(source)
    numbers: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id != "np" and not hasattr(builtins, node.id):
            node.id = numbers.setdefault(node.id, f"v{len(numbers)}")
        elif isinstance(node, ast.arg):
            node.arg = numbers.setdefault(node.arg, f"v{len(numbers)}")
        elif isinstance(node, ast.FunctionDef):
            node.name = "answer"
    return ast.dump(tree)


@cache
def usage(source: str) -> frozenset[str]:
    """Return the facts about how a program uses its functions."""
    return frozenset(_usage(ast.parse(source)))


def _usage(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (path := gold.numpy_path(node.func)):
            yield f"call {path} with {len(node.args)}"
            for argument in node.args:
                yield f"argument of {path}: {_form(argument)}"
            for keyword in node.keywords:
                yield f"option {path}.{keyword.arg}"
                if isinstance(keyword.value, ast.Constant):
                    yield f"option {path}.{keyword.arg}={keyword.value.value!r}"
        elif isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript):
            yield type(node).__name__


def _form(argument: ast.expr) -> str:
    """Return the type of an argument's expression; for a literal, the literal itself."""
    return ast.unparse(argument) if isinstance(argument, ast.Constant | ast.Tuple) else type(argument).__name__
