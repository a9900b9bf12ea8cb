"""What a NumPy program says about itself, for the translator: which variables hold functions, and which texts stand in it.

Both are guesses on the safe side for programs of a few lines: a variable counts as a holder anywhere in the program, whatever else it
may hold elsewhere. Functions that a function of the program is handed as arguments are not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from sebench.forge import catalog


def holders(tree: ast.AST, path_of: Callable[[ast.AST], str | None]) -> dict[str, str]:
    """Variables that hold functions of NumPy, each with one of them: a parameter has the same name in all."""
    found: dict[str, str] = {}
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.For(target=ast.Name(id=name), iter=value)
                | ast.comprehension(target=ast.Name(id=name), iter=value)
            ):
                for part in ast.walk(value):
                    path = None if part in called else path_of(part)
                    if path is not None and path in catalog.by_any_name():
                        found[name] = path
    return found


def texts(tree: ast.AST) -> set[str]:
    """The texts that are written out in a program."""
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}
