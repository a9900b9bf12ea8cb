"""Inserts guards (`sandbox/guards.py`) into a stateless program, at operations that may reveal something about the
process, depending on their operands."""

from __future__ import annotations

import ast
import copy
from typing import Any

from sebench.judge.program.program_names import ProgramNames, refuse_if
from sebench.judge.program.rules import ATTRIBUTES, GUARDED, HIDDEN_BUILTINS, IMPORTS, TYPES, VIEWS

# Builtins that only iterate over their arguments.
WALKERS = frozenset("all any dict enumerate filter frozenset len list map max min set sorted sum tuple zip".split())
HAND_BACK = frozenset("max min sum".split())  # these may return one of their arguments if there are several
GUARDED_ARGUMENTS = {
    "format": (1, 2), "frozenset": (0, 1), "hasattr": (2, 2), "print": (0, 99), "repr": (1, 1), "set": (0, 1),
    "str": (0, 1), "type": (1, 1),
}  # fmt: skip
GUARDED_TYPES = GUARDED & TYPES


def _needs_no_guard(node: ast.Attribute, names: ProgramNames) -> bool:
    """Whether an attribute needs no guard, because its owner is a module or because it reveals nothing for any owner.
    Apart from names with a leading underscore, a module of the library contains only its functions and types; any other
    name is an error."""
    if node.attr.startswith("_") or node.attr == "mro":  # `mro` is a method of types
        return False
    if node.attr in ATTRIBUTES:
        return True
    match node.value:
        case ast.Name(id=name) if name in names.modules:
            refuse_if(node.attr not in IMPORTS[names.modules[name]])
            return True
        case ast.Name(id=name):
            return name in names.library  # also `from library import module`
        case ast.Attribute(value=ast.Name(id=name)):
            return name in names.library and node.value.attr not in ATTRIBUTES  # `library.module.function`
        case _:
            return False


def needs_guards(nodes: list[ast.AST], names: ProgramNames) -> bool:
    for node in nodes:
        match node:
            case ast.Attribute():
                if isinstance(node.ctx, ast.Store) or not _needs_no_guard(node, names):
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


def _guard_call(guard: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f"<{guard}>", ast.Load()), list(args), [])


class InsertGuards(ast.NodeTransformer):
    """Inserts the guards."""

    def __init__(self, names: ProgramNames) -> None:
        self.names = names
        self.temporaries = 0

    def _is_builtin(self, node: ast.expr, some: frozenset[str]) -> bool:
        return isinstance(node, ast.Name) and node.id in some and node.id not in self.names.bound

    # values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        refuse_if(isinstance(node.ctx, ast.Load) and self._is_builtin(node, GUARDED))  # neither called nor compared
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        refuse_if(isinstance(node.ctx, ast.Store))  # `_visit_target` handles assignments; other targets are refused
        native = _needs_no_guard(node, self.names)
        self.generic_visit(node)
        if native:
            return node
        call = ast.copy_location(_guard_call("attribute", node.value, ast.Constant(node.attr)), node)
        call.lineno, call.col_offset = node.end_lineno or node.lineno, 0  # where Python reports an error
        return call

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and not _is_number(node.right):
            return ast.copy_location(_guard_call("mod", node.left, node.right), node)
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        if all(isinstance(part, ast.Constant) and type(part.value) in (int, float, str, bool) for part in node.elts):
            return node  # created at compile time, in its own order
        self.generic_visit(node)
        return ast.copy_location(_guard_call("set", ast.List(node.elts, ast.Load())), node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(_guard_call("set", ast.ListComp(node.elt, node.generators)), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        # the format specification is evaluated after the value was checked
        refuse_if(not all(isinstance(getattr(part, "value", None), ast.Name | ast.Constant | str) for part in parts))
        self.generic_visit(node)
        node.value = ast.copy_location(_guard_call("plain", node.value), node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.left = self._visit_compared(node.left)
        sides = zip(node.ops, node.comparators, strict=True)
        node.comparators = [
            self._visit_compared(side)
            if not isinstance(op, ast.In | ast.NotIn) or _is_display(side)
            else self._visit_walked(side)
            for op, side in sides
        ]
        return node

    def _visit_compared(self, node: ast.expr) -> Any:
        """Visit an operand that is only compared, and so may itself be a type, such as `int` or `type(x)`."""
        if self._is_builtin(node, GUARDED_TYPES):
            return ast.copy_location(ast.Name(f"<class {node.id}>", ast.Load()), node)  # type: ignore[attr-defined]
        match node:
            case ast.Call(func=ast.Name() as func, args=[value], keywords=[]) if self._is_builtin(
                func, frozenset({"type"})
            ) and not isinstance(value, ast.Starred):
                return ast.copy_location(_guard_call("class", self.visit(value)), node)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                node.elts = [self._visit_compared(part) for part in parts]
                return node
        return self.visit(node)

    def _visit_walked(self, node: ast.expr) -> Any:
        """Visit an iterable that is only iterated over or searched, and so may be the keys or items of a dict."""
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name) as func, args=[], keywords=[]) if name in VIEWS:
                func.value = self.visit(value)
                return node
        return self.visit(node)

    def _visit_function(self, node: ast.expr) -> Any:
        """Visit a guarded builtin that is used as a function value."""
        if self._is_builtin(node, GUARDED):
            return ast.copy_location(ast.Name(f"<{node.id}>", ast.Load()), node)  # type: ignore[attr-defined]
        return self.visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self.names.bound else ""
        if called in GUARDED:
            _check_arguments(called, node)
        node.func = self._visit_function(node.func)
        if called == "isinstance" and len(node.args) == 2:
            node.args = [self.visit(node.args[0]), self._visit_compared(node.args[1])]
        elif called in ("map", "filter") and len(node.args) == 2:
            node.args = [self._visit_function(node.args[0]), self._visit_walked(node.args[1])]
        else:
            walks = called in WALKERS and (len(node.args) == 1 or called not in HAND_BACK)
            node.args = [self._visit_walked(arg) if walks else self.visit(arg) for arg in node.args]
        sorts = called in ("sorted", "max", "min") or (
            isinstance(node.func, ast.Attribute) and node.func.attr == "sort"
        )
        for keyword in node.keywords:
            by_key = sorts and keyword.arg == "key"
            keyword.value = self._visit_function(keyword.value) if by_key else self.visit(keyword.value)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        node.target, node.iter = self.visit(node.target), self._visit_walked(node.iter)
        node.body, node.orelse = self._visit_statements(node.body), self._visit_statements(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.target, node.iter = self.visit(node.target), self._visit_walked(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    # statements

    def _visit_statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            statements += new if isinstance(new, list) else [new]
        return statements

    def visit_Assign(self, node: ast.Assign) -> Any:
        stored: list[ast.stmt] = []
        node.value = self.visit(node.value)
        refuse_if(
            len(node.targets) > 1 and any(isinstance(n, ast.Attribute) for t in node.targets for n in ast.walk(t))
        )
        node.targets = [self._visit_target(target, stored) for target in node.targets]
        return [node, *stored] if stored else node

    def _visit_target(self, target: ast.expr, stored: list[ast.stmt]) -> Any:
        """Visit an assignment target, replacing attributes with temporary names."""
        if isinstance(target, ast.Attribute):
            refuse_if(not isinstance(target.value, ast.Name) or target.attr.startswith("__"))
            self.temporaries += 1
            name = f"<{self.temporaries}>"
            stored.append(_store(name, target))
            return ast.copy_location(ast.Name(name, ast.Store()), target)
        if isinstance(target, ast.Tuple | ast.List):
            attributes = [isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in ast.walk(target)]
            # the order in which they are assigned matters
            refuse_if(any(attributes) and not all(isinstance(part, ast.Attribute) for part in target.elts))
            target.elts = [self._visit_target(part, stored) for part in target.elts]
            return target
        return self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        stored: list[ast.stmt] = []
        target = node.target
        node.value = self.visit(node.value)
        if isinstance(target, ast.Attribute):
            # by then, the name may refer to another object
            refuse_if(any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.value)))
            node.target = self._visit_target(target, stored)
            loaded = _guard_call("attribute", ast.Name(target.value.id, ast.Load()), ast.Constant(target.attr))  # type: ignore[attr-defined]
            first: list[Any] = [ast.Assign([copy.deepcopy(node.target)], loaded)]
            refuse_if(isinstance(node.op, ast.Mod))
            return [ast.copy_location(s, node) for s in (*first, node, *stored)]
        if isinstance(node.op, ast.Mod) and not _is_number(node.value):
            refuse_if(not isinstance(target, ast.Name))
            value = _guard_call("imod", ast.Name(target.id, ast.Load()), node.value)  # type: ignore[union-attr]
            return ast.copy_location(ast.Assign([target], value), node)
        node.target = self.visit(target)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Prevent the program from catching errors that would reveal something about its process."""
        self.generic_visit(node)
        unseen = ast.ExceptHandler(ast.Name("<unseen>", ast.Load()), None, [ast.Raise()])
        node.handlers = [ast.copy_location(unseen, node), *node.handlers]
        return node


def _check_arguments(called: str, node: ast.Call) -> None:
    """Check that a builtin is called with its usual arguments; guards support no others."""
    options = {keyword.arg for keyword in node.keywords}
    least, most = GUARDED_ARGUMENTS[called]
    starred = any(isinstance(arg, ast.Starred) for arg in node.args) and called != "print"
    allowed = {"sep", "end", "flush"} if called == "print" else set()
    refuse_if(starred or not least <= len(node.args) <= most or not options <= allowed)


def _store(name: str, target: ast.Attribute) -> ast.stmt:
    assert isinstance(target.value, ast.Name)
    owner = ast.Name(target.value.id, ast.Load())
    call = _guard_call("store", ast.Name(name, ast.Load()), owner, ast.Constant(target.attr))
    return ast.copy_location(ast.Expr(call), target)
