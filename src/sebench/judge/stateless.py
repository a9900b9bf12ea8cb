"""Stateless programs: they can neither remember anything nor see an address, an identity or a size of memory.

Such a program behaves the same in every run of one process and leaves nothing behind in it. So it may run in a process that holds the library,
truthful and lying, one run after the other, and other stateless programs may follow in the same process. It is a list of what is allowed
(`rules.py`), never of what is forbidden: the library, `math`, builtins and methods that work on values alone. No sets (they are ordered by
address), no `try` (it catches a lack of memory), no text from objects (it has addresses), no classes, no names with underscores. Whatever is not
on the list runs behind the wall (`sandbox/candidate.py`).

What is proved is what is compiled: unused imports, `if __name__ == "__main__":` and annotations are taken out first, and every node that is left
must be on the list. An annotation is taken out only if it can do nothing when it is evaluated: it names types, and cannot fail.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator, Mapping

from sebench.judge.rules import ATTRIBUTES, BUILTINS, GENERICS, NODES, TYPES
from sebench.syntax import is_main_guard

HIDDEN_BUILTINS = frozenset(dir(builtins)) - BUILTINS
FUTURE = "__future__"


def stateless(tree: ast.Module, nodes: list[ast.AST], package: str) -> ast.Module | None:
    """The program as it may share a process, or None."""
    reduced = _reduced(tree, nodes, package)
    if reduced is None:
        return None
    left = nodes if reduced is tree else list(ast.walk(reduced))
    return reduced if _is_stateless(reduced, left, package) else None


def _reduced(tree: ast.Module, nodes: list[ast.AST], package: str) -> ast.Module | None:
    """The program without annotations, unused imports and what it does when it is the main program; None if annotations do something."""
    if (bare := _without_annotations(tree, nodes, package)) is None:
        return None
    tree, nodes = bare, nodes if bare is tree else list(ast.walk(bare))
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
    modules: set[str] = set()  # names of the library, of its modules and of `math`
    imported: set[str] = set()
    read: set[str] = set()
    bound: set[str] = set()
    attributes: list[ast.Attribute] = []
    for node in found:
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
                if any(part.startswith("_") for part in (*name.split("."), other or "")) and name != FUTURE:
                    return False  # what modules have besides their functions leads out of here
            case ast.Import(names=names):
                if any(name.name.partition(".")[0] not in (package, "math") for name in names):
                    return False
                modules |= {_binds(name) for name in names}
            case ast.ImportFrom(module=module, names=names, level=0):
                if module == FUTURE:
                    continue
                private = "._" in f"{module}" or any(name.name == "*" for name in names)
                if private or (module or "").partition(".")[0] not in (package, "math"):
                    return False
                imported |= {_binds(name) for name in names}
            case ast.ImportFrom():
                return False
            case ast.Compare(ops=ops, comparators=sides):
                for op, side in zip(ops, sides, strict=True):
                    if isinstance(op, ast.Is | ast.IsNot) and not isinstance(side, ast.Constant):
                        return False
    # A name has one meaning in all of the program: a parameter somewhere does not free the builtin that it hides elsewhere.
    own = bound - HIDDEN_BUILTINS
    known = modules | imported
    if known & bound or not read <= own | known | BUILTINS or any(n.startswith("__") for n in bound):
        return False
    return all(_allowed(node, modules, imported) for node in attributes) and _forgets(tree, found)


def _allowed(node: ast.Attribute, modules: set[str], imported: set[str]) -> bool:
    """Whether an attribute is one of a module, or of plain values. A module of the library has its functions and types and nothing else
    that does not begin with an underscore; what it does not have is an error."""
    if node.attr.startswith("_") or node.attr == "mro":  # the one of types
        return False
    if node.attr in ATTRIBUTES:
        return True
    match node.value:
        case ast.Name(id=name):
            return name in modules or name in imported  # `from library import module`
        case ast.Attribute(value=ast.Name(id=name)):
            return name in modules and node.value.attr not in ATTRIBUTES  # `library.module.function`
        case _:
            return False


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
    return True


# ---- annotations -----------------------------------------------------------------------------------------------------


def _without_annotations(tree: ast.Module, nodes: list[ast.AST], package: str) -> ast.Module | None:
    """The program without annotations; None if one of them could do something, or fail."""
    annotations = [annotation for annotation in _evaluated(tree, nodes) if annotation is not None]
    if not annotations and not any(isinstance(n, ast.AnnAssign) for n in nodes):
        return tree  # most answers
    first = next((i for i, s in enumerate(tree.body) if isinstance(s, ast.FunctionDef)), len(tree.body))
    typing = {
        _binds(name): name.name
        for node in tree.body[:first]
        if isinstance(node, ast.ImportFrom) and node.module in ("typing", "collections.abc") and not node.level
        for name in node.names
    }
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    stored |= {n.arg for n in nodes if isinstance(n, ast.arg)} | {
        n.name for n in nodes if isinstance(n, ast.FunctionDef)
    }
    futures = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module == FUTURE]
    later = any(name.name == "annotations" for n in futures for name in n.names)  # then none of them is evaluated
    reader = _Types({name: of for name, of in typing.items() if name not in stored}, stored, package)
    if not later and not all(map(reader.harmless, annotations)):
        return None
    if any(isinstance(n, ast.AnnAssign) and not isinstance(n.target, ast.Name) for n in nodes):
        return None  # Python looks at what it is part of
    bare: ast.Module = _Bare().visit(copy.deepcopy(tree))
    return ast.fix_missing_locations(bare)


def _evaluated(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[ast.expr | None]:
    """The annotations that Python evaluates: not those of variables in functions."""
    for node in nodes:
        match node:
            case ast.arg(annotation=annotation) | ast.FunctionDef(returns=annotation):
                yield annotation
            case ast.AnnAssign(annotation=annotation, target=target):
                if node in tree.body or not isinstance(target, ast.Name):
                    yield annotation


class _Types:
    """Knows which annotations only name types, in forms that cannot fail."""

    def __init__(self, typing: Mapping[str, str], stored: set[str], package: str) -> None:
        self.typing, self.stored, self.package = typing, stored, package

    def harmless(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) or self._names_type(node)

    def _names_type(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=None):
                return True
            case ast.Name(id=name):
                return self._is_type(name)
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
        dots = inner[1:] and isinstance(inner[-1], ast.Constant) and inner[-1].value is ...
        return most in (len(inner), 9) and all(map(self._names_type, inner[:-1] if dots and most == 9 else inner))


class _Bare(ast.NodeTransformer):
    """Takes annotations out."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
