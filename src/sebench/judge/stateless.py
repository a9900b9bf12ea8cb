"""Stateless programs: they can neither remember anything nor see an address, an identity or a size of memory.

Such a program behaves the same in every run of one process and leaves nothing behind in it. So it may run in a process that holds the library,
truthful and lying, one run after the other, and other stateless programs may follow in the same process. It is a list of what is allowed
(`rules.py`), never of what is forbidden: the library, `math`, builtins and methods that work on values alone. No sets (they are ordered by
address), no `try` (it catches a lack of memory), no text from objects (it has addresses), no classes, no names with underscores. Whatever is not
on the list runs behind the wall (`sandbox/candidate.py`).
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator

from sebench.judge.rules import ATTRIBUTES, BUILTINS, NODES, TYPES
from sebench.syntax import is_main_guard

HIDDEN_BUILTINS = frozenset(dir(builtins)) - BUILTINS


def stateless(tree: ast.Module, nodes: list[ast.AST], package: str) -> ast.Module | None:
    """The program as it may share a process, or None. Unused imports and `if __name__ == "__main__":` are left out of it."""
    reduced = _reduced(tree, nodes)
    found = nodes if reduced is tree else list(ast.walk(reduced))
    return reduced if _is_stateless(reduced, found, package) else None


def _reduced(tree: ast.Module, nodes: list[ast.AST]) -> ast.Module:
    names = [n for n in nodes if type(n) is ast.Name]
    used = {n.id for n in names if type(n.ctx) is ast.Load}
    imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
    if "__name__" not in used and "getattr" not in used and all(_binds(a) in used for n in imports for a in n.names):
        return tree  # most answers
    if any(n.id == "__name__" and type(n.ctx) is not ast.Load for n in names):
        return tree
    body = [statement for statement in tree.body if not is_main_guard(statement)]
    used = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    reduced: ast.Module = _Reduced(used).visit(ast.Module(copy.deepcopy(body), []))
    return ast.fix_missing_locations(reduced)


class _Reduced(ast.NodeTransformer):
    """Without unused imports; `getattr(x, "name")` is the attribute that it is."""

    def __init__(self, used: set[str]) -> None:
        self.used = used

    def visit_Import(self, node: ast.Import) -> ast.AST:
        node.names = [n for n in node.names if _binds(n) in self.used]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module == "__future__":
            return node
        node.names = [n for n in node.names if n.name == "*" or _binds(n) in self.used]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name))], keywords=[]):
                if name.isidentifier():
                    return ast.copy_location(ast.Attribute(value, name, ast.Load()), node)
        return node


def _is_stateless(tree: ast.Module, found: list[ast.AST], package: str) -> bool:
    skipped = {node for annotation in _annotations(found) for node in ast.walk(annotation)}
    imported: set[str] = set()
    typing: set[str] = set()
    read: set[str] = set()
    bound: set[str] = set()
    attributes: list[ast.Attribute] = []
    for node in found:
        if node in skipped:
            continue
        if type(node) not in NODES:
            return False
        match node:  # the commonest first
            case ast.Name(id=name, ctx=context):
                (bound if isinstance(context, ast.Store) else read).add(name)
            case ast.Attribute():
                attributes.append(node)
            case ast.arg(arg=name) | ast.FunctionDef(name=name):
                bound.add(name)
            case ast.Constant(value=bytes()):
                return False
            case ast.BinOp(op=ast.Mod(), right=value) | ast.AugAssign(op=ast.Mod(), value=value):
                if not (isinstance(value, ast.Constant) and type(value.value) in (int, float)):
                    return False  # it may be text that is filled in
            case ast.alias(name=name, asname=other):
                if any(part.startswith("_") for part in (*name.split("."), other or "")) and name != "__future__":
                    return False  # what modules have besides their functions leads out of here
            case ast.Import(names=names):
                if any(name.name.partition(".")[0] not in (package, "math") for name in names):
                    return False
                imported |= {_binds(name) for name in names}
            case ast.ImportFrom(module=module, names=names, level=0):
                wanted = {name.name for name in names}
                if module == "typing" and wanted <= TYPES:
                    typing |= {_binds(name) for name in names}
                elif (
                    (module or "").partition(".")[0] in (package, "math")
                    and "*" not in wanted
                    and "._" not in f"{module}"
                ):
                    imported |= {_binds(name) for name in names}
                elif module != "__future__":
                    return False
            case ast.ImportFrom():
                return False
            case ast.Compare(ops=ops, comparators=sides):
                for op, side in zip(ops, sides, strict=True):
                    if isinstance(op, ast.Is | ast.IsNot) and not isinstance(side, ast.Constant):
                        return False
    # A name has one meaning in all of the program: a parameter somewhere does not free the builtin that it hides elsewhere.
    own = bound - HIDDEN_BUILTINS
    if (imported | typing) & bound or not read <= own | imported | BUILTINS or any(n.startswith("__") for n in bound):
        return False
    for node in attributes:
        if node.attr.startswith("_") or node.attr == "mro":
            return False
        if node.attr not in ATTRIBUTES and _root(node) not in imported:
            return False
    return _forgets(tree, found)


def _forgets(tree: ast.Module, found: list[ast.AST]) -> bool:
    """Whether nothing stays from one call to the next: imports, functions and constants at the top, no mutable defaults, no stored
    attributes."""
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name()], value=ast.Constant()):
                continue
            case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.Pass():
                continue
            case _:
                return False
    functions = {s.name for s in tree.body if isinstance(s, ast.FunctionDef)}
    for node in found:
        match node:
            case ast.FunctionDef(decorator_list=[_, *_]):
                return False
            case ast.arguments(defaults=defaults, kw_defaults=by_name):
                if any(not isinstance(d, ast.Constant) for d in (*defaults, *by_name) if d is not None):
                    return False
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return False
            case ast.Attribute(value=ast.Name(id=name)) if name in functions:
                return False
    return all(_simple(annotation) for annotation in _annotations(found))


def _annotations(found: list[ast.AST]) -> Iterator[ast.expr]:
    for node in found:
        match node:
            case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
                yield annotation
            case ast.FunctionDef(returns=ast.expr() as annotation):
                yield annotation


def _simple(annotation: ast.expr) -> bool:
    """Whether an annotation only names types: it makes nothing that lasts."""
    match annotation:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return _simple(value)
        case ast.Subscript(value=one, slice=other) | ast.BinOp(left=one, op=ast.BitOr(), right=other):
            return _simple(one) and _simple(other)
        case ast.Tuple(elts=parts):
            return all(_simple(part) for part in parts)
        case _:
            return False


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
