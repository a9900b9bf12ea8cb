"""Stateless programs: they can neither remember anything nor see an address, an identity or a size of memory.

Such a program behaves the same in every run of one process and leaves nothing behind in it. So it may run in a process that holds the library,
truthful and lying, one run after the other, and other stateless programs may follow in the same process. It is a list of what is allowed
(`rules.py`), never of what is forbidden: the library, parts of a few modules, builtins and methods that work on values alone. Whatever is not
on the list runs behind the wall (`sandbox/candidate.py`).

Three steps:

1. *Reduce*: unused imports, `if __name__ == "__main__":`, annotations and names for types are taken out. An annotation is taken out only if it
   can do nothing when it is evaluated: it names types, and cannot fail.
2. *Check*: every node that is left must be on the list.
3. *Guard*: where a value decides what an operation shows (text of an object, a set, an attribute, a stored attribute, `x % y`), it becomes a
   call of a guard (`sandbox/guards.py`), which looks at the value first. A value that is not a plain one ends the run, and the
   program goes behind the wall. Guards have names that no program can write.

What is proved is what is compiled. A program that holds data in its module may only read them: it goes behind the wall as soon as a case has
changed them.
"""

from __future__ import annotations

import ast
import builtins
import copy
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sebench.judge.rules import (
    ATTRIBUTES,
    BUILTINS,
    ERRORS,
    GENERICS,
    GUARDED,
    IMPORTS,
    NODES,
    SPECIAL_METHODS,
    TYPES,
    VIEWS,
)
from sebench.syntax import is_main_guard

HIDDEN_BUILTINS = frozenset(dir(builtins)) - BUILTINS
FUTURE = "__future__"
# Builtins that only walk over what they are given.
WALKERS = frozenset("all any dict enumerate filter frozenset len list map max min set sorted sum tuple zip".split())
HAND_BACK = frozenset("max min sum".split())  # what they are given, where it is more than one thing
GUARDED_ARGUMENTS = {
    "format": (1, 2), "frozenset": (0, 1), "hasattr": (2, 2), "print": (0, 99), "repr": (1, 1), "set": (0, 1), "str": (0, 1), "type": (1, 1),
}  # fmt: skip
GUARDED_TYPES = GUARDED & TYPES
SPECIAL_FORMS = frozenset("Optional Union Final".split())
METHOD_DECORATORS = frozenset("property staticmethod classmethod".split())


class NotStateless(Exception):
    """A part that is not on the list."""


@dataclass(frozen=True)
class StatelessProgram:
    """A program as it may share a process."""

    tree: ast.Module
    guarded: bool  # a run may find out that it belongs behind the wall
    holds_data: bool  # its module holds data that a case could change


def stateless(tree: ast.Module, nodes: list[ast.AST], package: str, array: str = "") -> StatelessProgram | None:
    """The program as it may share a process, or None. `array` is the name of the array type of the package."""
    try:
        reduced = _reduced(tree, nodes, package, array)
        left = nodes if reduced is tree else list(ast.walk(reduced))
        names = _check(left, package)
        guarded = _Guards(names).visit(copy.deepcopy(reduced)) if _needs_guards(left, names) else reduced
        if guarded is not reduced:
            ast.fix_missing_locations(guarded)
        holds_data = _holds_data(reduced, left, names)
        return StatelessProgram(guarded, guarded is not reduced or holds_data, holds_data)
    except (NotStateless, RecursionError):
        return None


# ---- reduce ----------------------------------------------------------------------------------------------------------


def _reduced(tree: ast.Module, nodes: list[ast.AST], package: str, array: str) -> ast.Module:
    """The program without annotations, names for types, unused imports and what it does when it is the main program."""
    tree, nodes, aliases = _without_annotations(tree, nodes, package, array)
    names = [n for n in nodes if type(n) is ast.Name]
    used = {n.id for n in names if type(n.ctx) is ast.Load}
    imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
    settled = "__name__" not in used and "getattr" not in used and not aliases
    if settled and all(_binds(a) in used for n in imports for a in n.names):
        return tree  # most answers
    if any(n.id == "__name__" and type(n.ctx) is not ast.Load for n in names):
        raise NotStateless
    body = [statement for statement in tree.body if not is_main_guard(statement)]
    for alias, statement in reversed(aliases.items()):  # one may name another
        others = (n for s in body if s is not statement for n in ast.walk(s))
        if statement in body and not any(isinstance(n, ast.Name) and n.id == alias for n in others):
            body.remove(statement)
    used = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    own_getattr = any(
        getattr(n, attribute, "") == "getattr" and not (attribute == "id" and isinstance(n.ctx, ast.Load))  # type: ignore[attr-defined]
        for n in nodes
        for attribute in ("id", "arg", "name", "asname")
    )
    reduced: ast.Module = _Reduced(used, package, own_getattr).visit(ast.Module(copy.deepcopy(body), []))
    return ast.fix_missing_locations(reduced)


class _Reduced(ast.NodeTransformer):
    """Without unused imports that cannot fail; `getattr(x, "name")` is the attribute that it is."""

    def __init__(self, used: set[str], package: str, own_getattr: bool) -> None:
        self.used, self.package, self.own_getattr = used, package, own_getattr

    def visit_Import(self, node: ast.Import) -> ast.AST:
        node.names = [n for n in node.names if _binds(n) in self.used or n.name not in sys.modules]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        module = sys.modules.get(node.module or "") if not node.level else None
        if node.module == FUTURE or node.module == self.package:
            return node
        node.names = [n for n in node.names if _binds(n) in self.used or not hasattr(module, n.name)]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name))], keywords=[]):
                if name.isidentifier() and not self.own_getattr:
                    return ast.copy_location(ast.Attribute(value, name, ast.Load()), node)
        return node


# ---- check -----------------------------------------------------------------------------------------------------------


@dataclass
class _Names:
    """What the names of a program stand for."""

    library: set[str] = field(default_factory=set)  # the library, its modules, `math`, and what is imported from them
    modules: dict[str, str] = field(default_factory=dict)  # other modules, by the names that they have here
    others: dict[str, str] = field(default_factory=dict)  # what is imported from those, by the names that it has here
    read: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)  # all that are not builtins
    classes: set[str] = field(default_factory=set)


def _check(nodes: list[ast.AST], package: str) -> _Names:
    """What the names stand for; NotStateless if a part is not on the list."""
    names = _Names()
    kinds: set[type] = set()
    compared: set[str] = set()  # by identity
    special = False
    for node in nodes:
        kinds.add(type(node))
        match node:  # the commonest first
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
                if any(part.startswith("_") for part in (*name.split("."), other or "")) and name != FUTURE:
                    raise NotStateless  # what modules have besides their functions leads out of here
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
                if name.startswith("__") or isinstance(context, ast.Del):
                    raise NotStateless
            case ast.Nonlocal(names=some):
                names.bound.update(some)
    if (
        not compared <= TYPES - names.bound
        or not kinds <= NODES
        or (ast.Try in kinds and kinds & {ast.Yield, ast.YieldFrom})
    ):
        raise NotStateless
    known = names.library | names.modules.keys() | names.others.keys()
    # A builtin that is not on the list is not there; a name that is bound somewhere else may be read before that, and is an error then.
    if known & names.bound:
        raise NotStateless
    names.bound |= known  # an import may hide a builtin, too
    if (names.read - names.bound - GUARDED) & HIDDEN_BUILTINS:
        raise NotStateless
    if any(name.startswith("__") for name in names.bound | names.read):
        raise NotStateless
    if special or kinds & {ast.ClassDef, ast.Try} or {"dataclass", "field"} & set(names.others.values()):
        _check_classes(nodes, names)
        if "dataclass" in names.others.values() and names.bound & frozenset(dir(builtins)):
            raise NotStateless  # the code that it makes reads builtins among the names of the program
    return names


def _check_import(node: ast.Import | ast.ImportFrom, package: str, names: _Names) -> None:
    own = (package, "math")
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] in own:
                names.library.add(_binds(alias))
            elif alias.name in IMPORTS and alias.name != "dataclasses":
                names.modules[_binds(alias)] = alias.name
            else:
                raise NotStateless
        return
    module = node.module or ""
    if module == FUTURE and not node.level:
        return
    if node.level or "._" in module or any(name.name == "*" for name in node.names):
        raise NotStateless
    if module.partition(".")[0] in own:
        names.library.update(map(_binds, node.names))
    elif all(alias.name in IMPORTS.get(module, ()) for alias in node.names):
        names.others.update({_binds(alias): alias.name for alias in node.names})
    else:
        raise NotStateless


def _check_classes(nodes: list[ast.AST], names: _Names) -> None:
    """Classes, and what may be caught."""
    placed: set[int] = set()  # names of `dataclasses` in their places
    for node in nodes:
        match node:
            case ast.ClassDef(bases=bases, keywords=[]):
                if not all(isinstance(b, ast.Name) and b.id in ERRORS - names.bound for b in bases):
                    raise NotStateless
                placed.update(_check_class(node, names))
            case ast.ClassDef():
                raise NotStateless
            case ast.Try(finalbody=[_, *_]):
                raise NotStateless  # it goes on after any error
            case ast.ExceptHandler(type=caught):
                some = caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []
                if not all(
                    isinstance(one, ast.Name) and one.id in names.classes | (ERRORS - names.bound) for one in some
                ):
                    raise NotStateless
            case ast.FunctionDef(name=name) if name in SPECIAL_METHODS and id(node) not in placed:
                raise NotStateless
            case ast.Name(id=name) if names.others.get(name) in ("dataclass", "field") and id(node) not in placed:
                raise NotStateless


def _check_class(node: ast.ClassDef, names: _Names) -> Iterator[int]:
    """The nodes of a class that may stand nowhere else."""
    for decorator in node.decorator_list:
        called = isinstance(decorator, ast.Call)
        name = decorator.func if isinstance(decorator, ast.Call) else decorator
        options = decorator.keywords if isinstance(decorator, ast.Call) else []
        if not isinstance(name, ast.Name) or names.others.get(name.id) != "dataclass" or node.bases:
            raise NotStateless
        if (called and decorator.args) or not all(o.arg and isinstance(o.value, ast.Constant) for o in options):  # type: ignore[attr-defined]
            raise NotStateless
        yield id(name)
    for statement in node.body:
        match statement:
            case ast.FunctionDef(decorator_list=decorators):
                yield id(statement)
                if not all(isinstance(d, ast.Name) and d.id in METHOD_DECORATORS - names.bound for d in decorators):
                    raise NotStateless
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
                pass
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=ast.expr() as value):
                if not _is_constant(value):
                    yield _check_field(value, names)
            case _:
                raise NotStateless


def _check_field(value: ast.expr, names: _Names) -> int:
    """`field(default_factory=list)`."""
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
    """Whether an expression is made of constants, and cannot be changed."""
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


def _holds_data(tree: ast.Module, nodes: list[ast.AST], names: _Names) -> bool:
    """Whether the module holds anything but functions, classes and constants. NotStateless for what else could stay from one call to the next,
    and for what may take long: it is done in every run."""
    found = False
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
                found = True
            case _:
                raise NotStateless
    in_classes = {id(m) for n in nodes if isinstance(n, ast.ClassDef) for m in n.body}
    for node in nodes:
        match node:
            case ast.FunctionDef(decorator_list=[_, *_]) if id(node) not in in_classes:
                raise NotStateless
            case ast.arguments(defaults=defaults, kw_defaults=by_name):
                if not all(_is_constant(d) for d in (*defaults, *by_name) if d is not None):
                    raise NotStateless
    return found


def _check_quick(value: ast.expr, names: _Names) -> None:
    """What is done at the top of a program: no loops, no functions but Python's own."""
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


# ---- guard -----------------------------------------------------------------------------------------------------------


def _native(node: ast.Attribute, names: _Names) -> bool:
    """Whether an attribute needs no guard: it is one of a module, or one that shows nothing whatever it belongs to. A module of the library
    has its functions and types and nothing else that does not begin with an underscore; what it does not have is an error."""
    if node.attr.startswith("_") or node.attr == "mro":  # the one of types
        return False
    if node.attr in ATTRIBUTES:
        return True
    match node.value:
        case ast.Name(id=name) if name in names.modules:
            if node.attr not in IMPORTS[names.modules[name]]:
                raise NotStateless
            return True
        case ast.Name(id=name):
            return name in names.library  # also `from library import module`
        case ast.Attribute(value=ast.Name(id=name)):
            return name in names.library and node.value.attr not in ATTRIBUTES  # `library.module.function`
        case _:
            return False


def _needs_guards(nodes: list[ast.AST], names: _Names) -> bool:
    for node in nodes:
        match node:
            case ast.Attribute():
                if isinstance(node.ctx, ast.Store) or not _native(node, names):
                    return True
            case ast.BinOp(op=ast.Mod(), right=right) | ast.AugAssign(op=ast.Mod(), value=right):
                if not _is_number(right):
                    return True
            case ast.Set() | ast.SetComp() | ast.JoinedStr() | ast.Try() | ast.ClassDef():
                return True
            case ast.Name(id=name, ctx=ast.Load()) if name in HIDDEN_BUILTINS:
                return True
    return False


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _call(guard: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f"<{guard}>", ast.Load()), list(args), [])


class _Guards(ast.NodeTransformer):
    """Puts guards where the value decides."""

    def __init__(self, names: _Names) -> None:
        self.names = names
        self.temporaries = 0

    def _is_builtin(self, node: ast.expr, some: frozenset[str]) -> bool:
        return isinstance(node, ast.Name) and node.id in some and node.id not in self.names.bound

    # values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and self._is_builtin(node, GUARDED):
            raise NotStateless  # not called, and not compared
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.ctx, ast.Store):
            raise NotStateless  # not where an attribute is assigned by itself
        native = _native(node, self.names)
        self.generic_visit(node)
        if native:
            return node
        call = ast.copy_location(_call("attribute", node.value, ast.Constant(node.attr)), node)
        call.lineno, call.col_offset = node.end_lineno or node.lineno, 0  # where Python sees an error
        return call

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not _is_number(node.right):
            return ast.copy_location(_call("mod", node.left, node.right), node)
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        if all(isinstance(part, ast.Constant) and type(part.value) in (int, float, str, bool) for part in node.elts):
            return node  # made when it is compiled, in an order of its own
        self.generic_visit(node)
        return ast.copy_location(_call("set", ast.List(node.elts, ast.Load())), node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(_call("set", ast.ListComp(node.elt, node.generators)), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        if not all(isinstance(getattr(part, "value", None), ast.Name | ast.Constant | str) for part in parts):
            raise NotStateless  # it is evaluated after the value was looked at
        self.generic_visit(node)
        node.value = ast.copy_location(_call("plain", node.value), node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.left = self._compared(node.left)
        sides = zip(node.ops, node.comparators, strict=True)
        node.comparators = [
            self._compared(side) if not isinstance(op, ast.In | ast.NotIn) or _is_display(side) else self._walked(side)
            for op, side in sides
        ]
        return node

    def _compared(self, node: ast.expr) -> Any:
        """What is only held against something else may be any type."""
        if self._is_builtin(node, GUARDED_TYPES):
            return ast.copy_location(ast.Name(f"<class {node.id}>", ast.Load()), node)  # type: ignore[attr-defined]
        match node:
            case ast.Call(func=ast.Name() as func, args=[value], keywords=[]) if self._is_builtin(
                func, frozenset({"type"})
            ) and not isinstance(value, ast.Starred):
                return ast.copy_location(_call("class", self.visit(value)), node)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                node.elts = [self._compared(part) for part in parts]
                return node
        return self.visit(node)

    def _walked(self, node: ast.expr) -> Any:
        """What is only walked over, or asked whether something is in it: also the keys and items of a dict."""
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name) as func, args=[], keywords=[]) if name in VIEWS:
                func.value = self.visit(value)
                return node
        return self.visit(node)

    def _function(self, node: ast.expr) -> Any:
        """A guarded builtin as a function."""
        if self._is_builtin(node, GUARDED):
            return ast.copy_location(ast.Name(f"<{node.id}>", ast.Load()), node)  # type: ignore[attr-defined]
        return self.visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self.names.bound else ""
        if called in GUARDED:
            _check_usual(called, node)
        node.func = self._function(node.func)
        if called == "isinstance" and len(node.args) == 2:
            node.args = [self.visit(node.args[0]), self._compared(node.args[1])]
        elif called in ("map", "filter") and len(node.args) == 2:
            node.args = [self._function(node.args[0]), self._walked(node.args[1])]
        else:
            walks = called in WALKERS and (len(node.args) == 1 or called not in HAND_BACK)
            node.args = [self._walked(arg) if walks else self.visit(arg) for arg in node.args]
        sorts = called in ("sorted", "max", "min") or (
            isinstance(node.func, ast.Attribute) and node.func.attr == "sort"
        )
        for keyword in node.keywords:
            by_key = sorts and keyword.arg == "key"
            keyword.value = self._function(keyword.value) if by_key else self.visit(keyword.value)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        node.target, node.iter = self.visit(node.target), self._walked(node.iter)
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.target, node.iter = self.visit(node.target), self._walked(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    # statements

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    def visit_Assign(self, node: ast.Assign) -> Any:
        stored: list[ast.stmt] = []
        node.value = self.visit(node.value)
        if len(node.targets) > 1 and any(isinstance(n, ast.Attribute) for t in node.targets for n in ast.walk(t)):
            raise NotStateless
        node.targets = [self._target(target, stored) for target in node.targets]
        return [node, *stored] if stored else node

    def _target(self, target: ast.expr, stored: list[ast.stmt]) -> Any:
        """A target in which attributes are names for a moment."""
        if isinstance(target, ast.Attribute):
            if not isinstance(target.value, ast.Name) or target.attr.startswith("__"):
                raise NotStateless
            self.temporaries += 1
            name = f"<{self.temporaries}>"
            stored.append(_store(name, target))
            return ast.copy_location(ast.Name(name, ast.Store()), target)
        if isinstance(target, ast.Tuple | ast.List):
            attributes = [isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in ast.walk(target)]
            if any(attributes) and not all(isinstance(part, ast.Attribute) for part in target.elts):
                raise NotStateless  # the order in which they are assigned matters
            target.elts = [self._target(part, stored) for part in target.elts]
            return target
        return self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        stored: list[ast.stmt] = []
        target = node.target
        node.value = self.visit(node.value)
        if isinstance(target, ast.Attribute):
            if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.value)):
                raise NotStateless  # it may be that of another object then
            node.target = self._target(target, stored)
            loaded = _call("attribute", ast.Name(target.value.id, ast.Load()), ast.Constant(target.attr))  # type: ignore[attr-defined]
            first: list[Any] = [ast.Assign([copy.deepcopy(node.target)], loaded)]
            if isinstance(node.op, ast.Mod):
                raise NotStateless
            return [ast.copy_location(s, node) for s in (*first, node, *stored)]
        if isinstance(node.op, ast.Mod) and not _is_number(node.value):
            if not isinstance(target, ast.Name):
                raise NotStateless
            value = _call("imod", ast.Name(target.id, ast.Load()), node.value)
            return ast.copy_location(ast.Assign([target], value), node)
        node.target = self.visit(target)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """An error that says something about the process is seen by nobody."""
        self.generic_visit(node)
        unseen = ast.ExceptHandler(ast.Name("<unseen>", ast.Load()), None, [ast.Raise()])
        node.handlers = [ast.copy_location(unseen, node), *node.handlers]
        return node


def _check_usual(called: str, node: ast.Call) -> None:
    """Guards take what everybody gives to the builtin."""
    options = {keyword.arg for keyword in node.keywords}
    least, most = GUARDED_ARGUMENTS[called]
    starred = any(isinstance(arg, ast.Starred) for arg in node.args) and called != "print"
    allowed = {"sep", "end", "flush"} if called == "print" else set()
    if starred or not least <= len(node.args) <= most or not options <= allowed:
        raise NotStateless


def _store(name: str, target: ast.Attribute) -> ast.stmt:
    assert isinstance(target.value, ast.Name)
    owner = ast.Name(target.value.id, ast.Load())
    call = _call("store", ast.Name(name, ast.Load()), owner, ast.Constant(target.attr))
    return ast.copy_location(ast.Expr(call), target)


# ---- annotations -----------------------------------------------------------------------------------------------------


def _without_annotations(
    tree: ast.Module, nodes: list[ast.AST], package: str, array: str
) -> tuple[ast.Module, list[ast.AST], dict[str, ast.stmt]]:
    """The program without annotations, its nodes, and its names for types; NotStateless if an annotation could do something, or fail."""
    annotations = [annotation for annotation in _evaluated(tree, nodes) if annotation is not None]
    if not annotations and not any(isinstance(n, ast.AnnAssign) for n in nodes):
        return tree, nodes, {}  # most answers
    first = next((i for i, s in enumerate(tree.body) if isinstance(s, ast.FunctionDef | ast.ClassDef)), len(tree.body))
    typing = {
        _binds(name): name.name
        for node in tree.body[:first]
        if isinstance(node, ast.ImportFrom) and node.module in ("typing", "collections.abc") and not node.level
        for name in node.names
    }
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored += [n.arg for n in nodes if isinstance(n, ast.arg)]
    stored += [n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    futures = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module == FUTURE]
    later = any(name.name == "annotations" for n in futures for name in n.names)  # then none of them is evaluated
    reader = _Types({name: of for name, of in typing.items() if name not in stored}, set(stored))
    reader.array = array
    reader.library = {
        _binds(a) for s in tree.body[:first] if isinstance(s, ast.Import) for a in s.names if a.name == package
    }
    reader.library -= set(stored)
    copied = copy.deepcopy(tree)
    aliases: dict[str, ast.stmt] = {}
    for statement, copy_of_it in zip(tree.body, copied.body, strict=True):
        match statement:
            case ast.ClassDef(name=name) if stored.count(name) == 1:
                reader.defined[name] = statement.end_lineno or 0
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored.count(name) == 1:
                if not isinstance(value, ast.Constant) and reader.harmless(value):
                    reader.defined[name] = statement.end_lineno or 0
                    aliases[name] = copy_of_it
    if not later and not all(map(reader.harmless, annotations)):
        raise NotStateless
    if any(isinstance(n, ast.AnnAssign) and not isinstance(n.target, ast.Name) for n in nodes):
        raise NotStateless  # Python looks at what it is part of
    bare: ast.Module = ast.fix_missing_locations(_Bare(reader).visit(copied))
    return bare, list(ast.walk(bare)), aliases


def _evaluated(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[ast.expr | None]:
    """The annotations that Python evaluates: not those of variables in functions."""
    bodies = [tree.body, *(n.body for n in nodes if isinstance(n, ast.ClassDef))]
    for node in nodes:
        match node:
            case ast.arg(annotation=annotation) | ast.FunctionDef(returns=annotation):
                yield annotation
            case ast.AnnAssign(annotation=annotation, target=target):
                if not isinstance(target, ast.Name) or any(node in body for body in bodies):
                    yield annotation


class _Types:
    """Knows which annotations only name types, in forms that cannot fail."""

    def __init__(self, typing: Mapping[str, str], stored: set[str]) -> None:
        self.typing, self.stored = typing, stored
        self.library: set[str] = set()  # names of the library, whose array type is `array`
        self.array = ""
        self.defined: dict[str, int] = {}  # types of the program's own, by the line from which on they are there

    def harmless(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) or self._names_type(node)

    def _names_type(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=None):
                return True
            case ast.Name(id=name):
                return self._is_type(name) or node.lineno > self.defined.get(name, node.lineno)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                return name in self.library and attribute == self.array
            case ast.Subscript(value=ast.Name(id=name), slice=inner):
                return self._takes(name, inner.elts if isinstance(inner, ast.Tuple) else [inner])
            case ast.BinOp(left=ast.Name() | ast.Subscript() as left, op=ast.BitOr(), right=right):
                return self._names_type(left) and self._names_type(right)
            case _:
                return False

    def _is_type(self, name: str) -> bool:
        return (name in TYPES and name not in self.stored) or self.typing.get(name) in GENERICS

    def _takes(self, name: str, inner: list[ast.expr]) -> bool:
        """Whether these may stand in the brackets of a type."""
        most = GENERICS.get(self.typing.get(name, ""), 0)
        if name in ("list", "dict", "tuple", "set", "frozenset") and name not in self.stored:
            most = 9
        if any(isinstance(part, ast.Name) and self.typing.get(part.id) in SPECIAL_FORMS for part in inner):
            return False  # they stand for nothing without brackets
        dots = inner[1:] and isinstance(inner[-1], ast.Constant) and inner[-1].value is ...
        return most in (len(inner), 9) and all(map(self._names_type, inner[:-1] if dots and most == 9 else inner))


class _Bare(ast.NodeTransformer):
    """Takes annotations out; the fields of a dataclass keep one that says nothing."""

    def __init__(self, types: _Types) -> None:
        self.types, self.inside = types, False  # inside: of a function

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        inside, self.inside = self.inside, True
        self.generic_visit(node)
        self.inside = inside
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        fields = [s for s in node.body if isinstance(s, ast.AnnAssign)] if node.decorator_list else []
        for statement in fields:
            if isinstance(statement.annotation, ast.Constant) or not self.types.harmless(statement.annotation):
                raise NotStateless  # it may say that it is no field
            statement.annotation = ast.copy_location(ast.Name("int", ast.Load()), statement.annotation)
        inside, self.inside = self.inside, False
        node.body = [s if s in fields else self.visit(s) for s in node.body]
        self.inside = inside
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        assigned = ast.copy_location(ast.Assign([node.target], node.value or ast.Constant(None)), node)
        if node.value is not None:
            return assigned
        local = ast.If(ast.Constant(False), [assigned], [])
        return ast.copy_location(local if self.inside else ast.Pass(), node)


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
