"""Proves that a program is stateless: it cannot keep state, or see an address, an identity or a memory size.

Such a program behaves the same in every run within a process and leaves nothing behind. So it may run in a process that
contains the library, first truthful and then falsified (returning deliberately wrong values), and other stateless
programs may follow in the same process. The check uses a list of what is allowed (`rules.py`), never of what is
forbidden: the library, parts of a few modules, and builtins and methods that work only on values. A program that uses
anything else runs behind the wall (`sandbox/candidate.py`).

Three steps:

1. *Reduce*: unused imports, `if __name__ == "__main__":`, annotations and type aliases are removed. An annotation is
   removed only if evaluating it has no effect: it names types, and cannot fail.
2. *Check*: every node that is left must be on the list.
3. *Guard*: an operation that may reveal something, depending on its operands (the text of an object, a set, reading or
   setting an attribute, `x % y`), becomes a call to a guard (`sandbox/guards.py`), which checks them first. An operand
   that is not plain ends the run, and the program is moved behind the wall. Guards have names that no program can
   write.

The program that is checked is the one that is compiled. A program with module-level data may only read the data: it is
moved behind the wall as soon as a case has changed the data.
"""

from __future__ import annotations

import ast
import builtins
import copy
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from sebench.base.syntax import is_main_guard
from sebench.judge.program.annotations import remove_annotations
from sebench.judge.program.inserted_guards import InsertGuards, needs_guards
from sebench.judge.program.program_names import NotStateless, ProgramNames, bound_name, refuse_if
from sebench.judge.program.rules import (
    BUILTINS,
    ERRORS,
    FUTURE,
    GUARDED,
    HIDDEN_BUILTINS,
    IMPORTS,
    NODES,
    SPECIAL_METHODS,
    TYPES,
)

METHOD_DECORATORS = frozenset("property staticmethod classmethod".split())


@dataclass(frozen=True)
class StatelessProgram:
    """A program in the form in which it may share a process with others."""

    tree: ast.Module
    guarded: bool  # a run may discover that it belongs behind the wall
    holds_data: bool  # its module contains data that a case could change


def prove_stateless(tree: ast.Module, nodes: list[ast.AST], package: str, array: str = "") -> StatelessProgram | None:
    """Return the program in a form that may share a process, or None if it is not proved stateless. `array` is the name
    of the package's array type."""
    try:
        reduced = _reduce(tree, nodes, package, array)
        left = nodes if reduced is tree else list(ast.walk(reduced))
        names = _check(left, package)
        guarded = InsertGuards(names).visit(copy.deepcopy(reduced)) if needs_guards(left, names) else reduced
        if guarded is not reduced:
            ast.fix_missing_locations(guarded)
        holds_data = _holds_data(reduced, left, names)
        return StatelessProgram(guarded, guarded is not reduced or holds_data, holds_data)
    except (NotStateless, RecursionError):
        return None


# ---- reduce ----------------------------------------------------------------------------------------------------------


def _reduce(tree: ast.Module, nodes: list[ast.AST], package: str, array: str) -> ast.Module:
    """Return the program without annotations, type aliases, unused imports and its `__main__` block."""
    tree, nodes, aliases = remove_annotations(tree, nodes, package, array)
    names = [n for n in nodes if type(n) is ast.Name]
    used = {n.id for n in names if type(n.ctx) is ast.Load}
    imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
    settled = "__name__" not in used and "getattr" not in used and not aliases
    if settled and all(bound_name(a) in used for n in imports for a in n.names):
        return tree  # most answers
    refuse_if(any(n.id == "__name__" and type(n.ctx) is not ast.Load for n in names))
    body = [statement for statement in tree.body if not is_main_guard(statement)]
    for alias, statement in reversed(aliases.items()):  # an alias may refer to another
        others = (n for s in body if s is not statement for n in ast.walk(s))
        if statement in body and not any(isinstance(n, ast.Name) and n.id == alias for n in others):
            body.remove(statement)
    used = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    own_getattr = any(
        getattr(n, attribute, "") == "getattr" and not (attribute == "id" and isinstance(n.ctx, ast.Load))  # type: ignore[attr-defined]
        for n in nodes
        for attribute in ("id", "arg", "name", "asname")
    )
    reduced: ast.Module = _Reducer(used, package, own_getattr).visit(ast.Module(copy.deepcopy(body), []))
    return ast.fix_missing_locations(reduced)


class _Reducer(ast.NodeTransformer):
    """Removes unused imports that cannot fail, and turns `getattr(x, "name")` into an attribute."""

    def __init__(self, used: set[str], package: str, own_getattr: bool) -> None:
        self.used, self.package, self.own_getattr = used, package, own_getattr

    def visit_Import(self, node: ast.Import) -> ast.AST:
        node.names = [n for n in node.names if bound_name(n) in self.used or n.name not in sys.modules]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        module = sys.modules.get(node.module or "") if not node.level else None
        if node.module == FUTURE or node.module == self.package:
            return node
        node.names = [n for n in node.names if bound_name(n) in self.used or not hasattr(module, n.name)]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name))], keywords=[]):
                if name.isidentifier() and not self.own_getattr:
                    return ast.copy_location(ast.Attribute(value, name, ast.Load()), node)
        return node


# ---- check -----------------------------------------------------------------------------------------------------------


def _check(nodes: list[ast.AST], package: str) -> ProgramNames:
    """Return what the program's names refer to. Raise NotStateless if a construct is not on the list of allowed
    ones."""
    names = ProgramNames()
    kinds: set[type] = set()
    compared: set[str] = set()  # by identity
    special = False
    for node in nodes:
        kinds.add(type(node))
        match node:  # the most common first
            case ast.Name(id=name, ctx=context):
                (names.read if isinstance(context, ast.Load) else names.bound).add(name)
            case ast.arg(arg=name):
                names.bound.add(name)
            case ast.FunctionDef(name=name):
                special = special or name in SPECIAL_METHODS
                names.bound.add("" if name in SPECIAL_METHODS else name)
            case ast.Constant(value=bytes()):
                raise NotStateless
            case ast.alias(name=name, asname=other):
                # private names in modules may lead outside
                refuse_if(any(part.startswith("_") for part in (*name.split("."), other or "")) and name != FUTURE)
            case ast.Import() | ast.ImportFrom():
                _check_import(node, package, names)
            case ast.Compare(ops=ops, comparators=sides):
                for op, side in zip(ops, sides, strict=True):
                    if isinstance(op, ast.Is | ast.IsNot) and not isinstance(side, ast.Constant):
                        compared.add(side.id if isinstance(side, ast.Name) else "")
            case ast.ExceptHandler(name=name):
                names.bound.add(name or "")
            case ast.ClassDef(name=name):
                names.classes.add(name)
                names.bound.add(name)
            case ast.Attribute(attr=name, ctx=context):
                refuse_if(name.startswith("__") or isinstance(context, ast.Del))
            case ast.Nonlocal(names=some):
                names.bound.update(some)
    refuse_if(not compared <= TYPES - names.bound or not kinds <= NODES)
    refuse_if(ast.Try in kinds and kinds & {ast.Yield, ast.YieldFrom})
    known = names.library | names.modules.keys() | names.others.keys()
    # A builtin that is not on the list does not exist; a name that is bound elsewhere may be read before it is bound,
    # which is an error.
    refuse_if(known & names.bound)
    names.bound |= known  # an import may hide a builtin, too
    refuse_if((names.read - names.bound - GUARDED) & HIDDEN_BUILTINS)
    refuse_if(any(name.startswith("__") for name in names.bound | names.read))
    if special or kinds & {ast.ClassDef, ast.Try} or {"dataclass", "field"} & set(names.others.values()):
        _check_classes(nodes, names)
        # the code that `dataclass` generates looks up builtins among the program's names
        refuse_if("dataclass" in names.others.values() and names.bound & frozenset(dir(builtins)))
    return names


def _check_import(node: ast.Import | ast.ImportFrom, package: str, names: ProgramNames) -> None:
    own = (package, "math")
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] in own:
                names.library.add(bound_name(alias))
            elif alias.name in IMPORTS and alias.name != "dataclasses":
                names.modules[bound_name(alias)] = alias.name
            else:
                raise NotStateless
        return
    module = node.module or ""
    if module == FUTURE and not node.level:
        return
    refuse_if(node.level or "._" in module or any(name.name == "*" for name in node.names))
    if module.partition(".")[0] in own:
        names.library.update(map(bound_name, node.names))
    elif all(alias.name in IMPORTS.get(module, ()) for alias in node.names):
        names.others.update({bound_name(alias): alias.name for alias in node.names})
    else:
        raise NotStateless


def _check_classes(nodes: list[ast.AST], names: ProgramNames) -> None:
    """Check classes and except clauses."""
    placed: set[int] = set()  # names from `dataclasses` where they are allowed
    for node in nodes:
        match node:
            case ast.ClassDef(bases=bases, keywords=[]):
                refuse_if(not all(isinstance(b, ast.Name) and b.id in ERRORS - names.bound for b in bases))
                placed.update(_check_class(node, names))
            case ast.ClassDef():
                raise NotStateless
            case ast.Try(finalbody=[_, *_]):
                raise NotStateless  # a `finally` block runs after any error
            case ast.ExceptHandler(type=caught):
                some = caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []
                refuse_if(
                    not all(
                        isinstance(one, ast.Name) and one.id in names.classes | (ERRORS - names.bound) for one in some
                    )
                )
            case ast.FunctionDef(name=name):
                refuse_if(name in SPECIAL_METHODS and id(node) not in placed)
            case ast.Name(id=name):
                refuse_if(names.others.get(name) in ("dataclass", "field") and id(node) not in placed)


def _check_class(node: ast.ClassDef, names: ProgramNames) -> Iterator[int]:
    """Check a class. Yield the ids of nodes in it that are not allowed elsewhere."""
    for decorator in node.decorator_list:
        called = isinstance(decorator, ast.Call)
        name = decorator.func if isinstance(decorator, ast.Call) else decorator
        options = decorator.keywords if isinstance(decorator, ast.Call) else []
        refuse_if(not isinstance(name, ast.Name) or names.others.get(name.id) != "dataclass" or node.bases)
        refuse_if((called and decorator.args) or not all(o.arg and isinstance(o.value, ast.Constant) for o in options))  # type: ignore[attr-defined]
        yield id(name)
    for statement in node.body:
        match statement:
            case ast.FunctionDef(decorator_list=decorators):
                yield id(statement)
                refuse_if(
                    not all(isinstance(d, ast.Name) and d.id in METHOD_DECORATORS - names.bound for d in decorators)
                )
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
                pass
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
                if not _is_constant(value):
                    yield _check_field(value, names)
            case _:
                raise NotStateless


def _check_field(value: ast.expr, names: ProgramNames) -> int:
    """Check a dataclass field such as `field(default_factory=list)`."""
    match value:
        case ast.Call(
            func=ast.Name(id=called) as func,
            args=[],
            keywords=[ast.keyword(arg="default_factory", value=ast.Name(id=factory))],
        ):
            if names.others.get(called) == "field" and factory in {"list", "dict"} - names.bound:
                return id(func)
    raise NotStateless


def _is_constant(value: ast.expr) -> bool:
    """Whether an expression consists of constants and its value is immutable."""
    match value:
        case ast.Constant():
            return True
        case ast.Tuple(elts=parts):
            return all(map(_is_constant, parts))
        case ast.UnaryOp(operand=inner):
            return _is_constant(inner)
        case ast.BinOp(left=left, right=right):
            return _is_constant(left) and _is_constant(right)
    return False


def _holds_data(tree: ast.Module, nodes: list[ast.AST], names: ProgramNames) -> bool:
    """Whether the module contains anything but functions, classes and constants. Raise NotStateless for other state
    that could survive a call, and for slow top-level code, which every run would repeat."""
    holds_data = False
    for statement in tree.body:
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.FunctionDef(decorator_list=[]) | ast.ClassDef() | ast.Pass():
                continue
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name()], value=value) if _is_constant(value) or isinstance(value, ast.Lambda):
                continue
            case ast.Assign(value=value):
                _check_quick(value, names)
                holds_data = True
            case _:
                raise NotStateless
    in_classes = {id(m) for n in nodes if isinstance(n, ast.ClassDef) for m in n.body}
    for node in nodes:
        match node:
            case ast.FunctionDef(decorator_list=[_, *_]):
                refuse_if(id(node) not in in_classes)
            case ast.arguments(defaults=defaults, kw_defaults=by_name):
                refuse_if(not all(_is_constant(d) for d in (*defaults, *by_name) if d is not None))
    return holds_data


def _check_quick(value: ast.expr, names: ProgramNames) -> None:
    """Check that a top-level expression has no loops and calls only builtins and names imported from the allowed
    modules."""
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.comprehension():
                raise NotStateless
            case ast.Call(func=ast.Name(id=name)) if name in names.others or name in (BUILTINS | GUARDED) - names.bound:
                pass
            case ast.Call():
                raise NotStateless
        if not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
