"""Finds in a syntax tree which names a program defines, and which it uses without defining them."""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator


def parse(code: str) -> ast.Module | SyntaxError:
    """Parse code, and return the syntax tree or the error. Warnings about the candidate's code are suppressed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except SyntaxError as error:
        return error
    except (ValueError, MemoryError, RecursionError) as error:  # null bytes, surrogates, absurd nesting
        return SyntaxError(str(error) or "too deeply nested")


def tree(code: str) -> ast.Module:
    """Parse code without warnings, and return the syntax tree or raise the error."""
    parsed = parse(code)
    if isinstance(parsed, SyntaxError):
        raise parsed
    return parsed


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements at top level, including those nested in if, try, with and loops."""
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for name in ("finalbody", "orelse", "handlers", "body"):
            waiting.extend(reversed(getattr(statement, name, ())))


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions that these statements define at top level."""
    return (s for s in statements(body) if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef))


def defines(body: list[ast.stmt], entry: str) -> bool:
    """Whether these statements define a name, as a function, by assignment, or as the method of a class."""
    for statement in statements(body):
        if isinstance(statement, ast.ClassDef):
            if statement.name == entry or any(function.name == entry for function in functions(statement.body)):
                return True
        elif not isinstance(statement, ast.Import | ast.ImportFrom) and entry in names([statement]):
            return True
    return False


def answers(body: list[ast.stmt], entry: str) -> bool:
    """Whether these statements define a name as a function with a body, by an expression that may return a function, or
    as the method of a class. An expression that needs the name itself only uses what another program defines."""
    for statement in statements(body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name == entry and not all(map(_says_nothing, statement.body)):
                return True
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            could_be = isinstance(statement.value, ast.Lambda | ast.Call | ast.Attribute | ast.Name)
            if could_be and entry in names([statement]) and not _reads(statement, entry):
                return True
        elif isinstance(statement, ast.ClassDef) and answers(statement.body, entry):
            return True
    return False


def _reads(statement: ast.stmt, name: str) -> bool:
    """Whether a statement reads a name when it runs, not only when a function in it is called."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            return True
        if not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def _says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement does nothing: `pass`, `...`, a bare string or `raise NotImplementedError`."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False


def names(body: list[ast.stmt]) -> set[str]:
    """Return the names that these statements bind."""
    bound: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            bound.update(alias.asname or alias.name.partition(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.Assign):
            bound.update(n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
            bound.add(statement.target.id)
    return bound


def first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def missing(code: str) -> set[str]:
    """Return the global names that a program uses but does not define, except for Python's builtins."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables = [symtable.symtable(code, "program", "exec")]
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # such as a `return` outside of functions
        return set()
    used: set[str] = set()
    bound = {*dir(builtins), "__name__", "__file__"}
    while tables:
        table = tables.pop()
        tables += table.get_children()
        is_module = table.get_type() == "module"
        for symbol in table.get_symbols():
            if not is_module and not symbol.is_global():
                continue
            if symbol.is_referenced():
                used.add(symbol.get_name())
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                bound.add(symbol.get_name())
    return used - bound


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":` without an `else`; its body never runs here."""
    match statement:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]
            ),
            orelse=[],
        ):
            return True
    return False
