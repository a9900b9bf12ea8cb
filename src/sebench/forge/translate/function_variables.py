"""Finds, for the translator, which variables of a NumPy program hold functions.

A variable holds a NumPy function if it is assigned one, iterates over a collection of them, or is a parameter to which
a call to the program's own function passes one. It then counts as a function in the whole program, even if it has other
values elsewhere.

Not covered: functions in attributes and dictionaries, and functions returned by functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from sebench.forge.catalog import catalog


def function_variables(tree: ast.AST, path_of: Callable[[ast.AST], str | None]) -> dict[str, str]:
    """Return the variables that hold NumPy functions, each with one of the functions it holds. One is enough: a
    parameter has the same forged name in all functions.
    """
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    function_of: dict[str, str] = {}
    for name, value in _assignments(tree):
        for part in ast.walk(value):
            path = None if part in called else path_of(part)
            if path is not None and path in catalog.by_any_name():
                function_of[name] = path
    return function_of


def _assignments(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the variables of a program with the expressions assigned to them."""
    own = {node.name: node.args for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case (
                ast.For(target=ast.Name(id=name), iter=value) | ast.comprehension(target=ast.Name(id=name), iter=value)
            ):
                yield name, value
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in own:
                takes = [*own[name].posonlyargs, *own[name].args]
                yield from ((one.arg, value) for one, value in zip(takes, args, strict=False))
                yield from ((keyword.arg, keyword.value) for keyword in keywords if keyword.arg)
