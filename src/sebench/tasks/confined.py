"""Restricts what gold (reference) solutions by other authors may contain, so that running one can do nothing but
compute.

The bank's own rules (`rules.py`) are about style and were written for trusted authors. This is an allow-list for
programs by a model or from someone else's folder: one function, simple expressions, and no names but its own variables,
the NumPy functions in the catalog and a few builtins.

Covered: access to files, modules, double-underscore attributes and unlisted builtins, even through a variable of the
same name. Not covered: time and memory. `author/` runs a program in the sandbox first, and then only in a child with
limits (`author/gates.py`); a build with a bank folder has no such limits.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator

from sebench.forge.catalog import catalog
from sebench.tasks import gold
from sebench.tasks.rules import ATTRIBUTES, BUILTINS

LONGEST, DEEPEST = 4_000, 60  # characters in a program; levels of nesting in its syntax (about 15 in the bank's gold)
LARGEST_NUMBER, LONGEST_TEXT = 10**9, 200  # of a constant in it
# The syntax of expressions that only compute, and of assignments.
EXPRESSIONS = (
    ast.Assign, ast.AugAssign, ast.Expr, ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.keyword, ast.Starred,
    ast.Subscript, ast.Slice, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.GeneratorExp, ast.comprehension,
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.arguments, ast.arg, ast.expr_context,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
NODES = (*EXPRESSIONS, ast.FunctionDef, ast.Return, ast.SetComp, ast.DictComp, ast.If)
MODULES = ("", "linalg", "fft")


def function(program: str, entry: str) -> ast.FunctionDef:
    """Return the only function of a program, without docstring and annotations. Raise ValueError saying what is wrong
    with the program's form."""
    if len(program) > LONGEST:
        raise ValueError(f"the solution has {len(program):,} characters; at most {LONGEST:,} are allowed")
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            tree = ast.parse(program)
            if deep(tree):
                raise ValueError(f"it is nested more than {DEEPEST} levels deep")
            compile(program, "<solution>", "exec")  # finds errors that parsing misses, and runs nothing
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the solution is not a Python program: {error}") from None
    body = tree.body
    if body and ast.unparse(body[0]) == "import numpy as np":
        body = body[1:]
    if len(body) != 1 or not isinstance(node := body[0], ast.FunctionDef):
        raise ValueError("the solution must be 'import numpy as np' and one function, nothing else")
    if node.name != entry:
        raise ValueError(f"the solution defines '{node.name}', not '{entry}'")
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:]
    for argument in ast.walk(node):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    node.returns = None
    if not node.body:
        raise ValueError("the solution does nothing")
    return node


def deep(node: ast.AST) -> bool:
    """Whether a program is nested so deeply that a recursive reader would raise a RecursionError."""
    level: list[ast.AST] = [node]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in ast.iter_child_nodes(outer)]
    return bool(level)


def parameters(node: ast.FunctionDef) -> tuple[str, ...]:
    """Return the parameters of a solution; raise ValueError if they are not all plain names."""
    arguments = node.args
    if arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.defaults:
        raise ValueError("the solution must take plain parameters, without defaults or stars")
    return tuple(argument.arg for argument in arguments.args)


def forbidden(node: ast.FunctionDef) -> Iterator[str]:
    """Yield one sentence about each thing in a solution that is not allowed."""
    bound = set(_bound_names(node))
    for name in sorted(bound | {node.name}):
        if name.startswith("_") or name == "np" or name in BUILTINS or hasattr(builtins, name):
            yield f"gold uses the reserved name '{name}' for something else"
    for inner in ast.walk(node):
        if not isinstance(inner, NODES):
            yield f"gold contains {type(inner).__name__}, which is not allowed"
        elif isinstance(inner, ast.FunctionDef) and inner.decorator_list:
            yield "gold has a decorator, which is not allowed"
        elif isinstance(inner, ast.Name) and inner.id not in bound | BUILTINS | {"np"}:
            yield f"gold uses '{inner.id}', which is not allowed"
        elif isinstance(inner, ast.Attribute):
            yield from _attribute(inner)
        elif isinstance(inner, ast.Constant) and not _small(inner.value):
            yield f"gold contains the constant {inner.value!r:.40}, which is not allowed"


def _small(value: object) -> bool:
    """Whether a constant is a short string, a number that is not huge, a boolean or None."""
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT
    return value is None or value is ... or (isinstance(value, int | float | complex) and abs(value) <= LARGEST_NUMBER)


def _bound_names(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            yield inner.arg
        elif isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, ast.FunctionDef) and inner is not node:
            yield inner.name


def _attribute(node: ast.Attribute) -> Iterator[str]:
    path = gold.numpy_path(node)
    if path is None:
        fields = {name for entry in catalog.by_any_name().values() for name in entry.fields}
        if node.attr not in ATTRIBUTES | fields:
            yield f"gold uses the attribute '.{node.attr}', which forged arrays do not have"
    elif path not in MODULES and path not in catalog.by_any_name() and not gold.is_value(path):
        yield f"gold uses np.{path}, which is not in the catalog"
