"""The static policy: what a program may say, checked on its syntax before it runs, with rule and line.

It stands in front of the guard in the child (`sandbox/guard.py`), which sees what is spelled only at run time. Both read `rules.py`.
`getattr(x, "name")` with a constant name is made the attribute access that it is.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from sebench.judge.rules import (
    ANSWER_FILE,
    FORBIDDEN_BUILTINS,
    FORMAT_GUARD,
    FORMATS,
    MODULES,
    NUMERIC,
    ONLY,
    PLAIN_ATTRIBUTES,
    PLAIN_BUILTINS,
    PLAIN_NODES,
    PLAIN_TYPES,
    reflective,
)

HIDDEN_BUILTINS = frozenset(dir(builtins)) - PLAIN_BUILTINS

# The nodes with which a program can keep something from one call to the next.
REMEMBERING = frozenset(
    {ast.FunctionDef, ast.Global, ast.Nonlocal, ast.ClassDef, ast.arguments, ast.Attribute, ast.Name}
)


@dataclass(frozen=True)
class Refusal:
    """A rule that a program breaks, and where."""

    rule: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what} ({self.rule})"


def parse(code: str) -> ast.Module:
    """The syntax tree; SyntaxError, with a clear text, for whatever cannot be compiled."""
    try:
        return ast.parse(code, ANSWER_FILE)
    except (ValueError, RecursionError, MemoryError, UnicodeError) as error:
        raise SyntaxError(f"cannot be parsed: {type(error).__name__}") from None


def nodes(tree: ast.Module) -> list[ast.AST]:
    """Every node of a tree, for the functions below: to walk a tree costs more than to look at its nodes."""
    return list(ast.walk(tree))


def refusal(tree: ast.Module, found: list[ast.AST], package: str) -> Refusal | None:
    """The first rule that the program breaks."""
    return min(_refusals(tree, found, package), key=lambda r: r.line, default=None)


def prepared(tree: ast.Module, found: list[ast.AST]) -> list[ast.AST]:
    """Make the tree what will be compiled: constant `getattr` as attribute access, guarded `format`, no unused imports. Gives its nodes."""
    used = _loaded(found)
    imported = (n for n in found if isinstance(n, ast.Import | ast.ImportFrom))
    formats = any(isinstance(n, ast.Attribute) and n.attr in FORMATS for n in found)
    if not formats and "getattr" not in used and all(_binds(a) in used for node in imported for a in node.names):
        return found  # most answers
    return nodes(ast.fix_missing_locations(_Prepared(used).visit(tree)))


def stateless(tree: ast.Module, found: list[ast.AST]) -> bool:
    """Whether the program cannot remember anything from one call to the next: imports, plain functions and constants alone."""
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
        if type(node) not in REMEMBERING:
            continue
        match node:
            case ast.FunctionDef(decorator_list=[_, *_]) | ast.Global() | ast.Nonlocal() | ast.ClassDef():
                return False
            case ast.arguments(defaults=defaults, kw_defaults=by_name):
                if any(not isinstance(d, ast.Constant) for d in (*defaults, *by_name) if d is not None):
                    return False
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return False
            case ast.Name(id="globals" | "setattr" | "locals"):
                return False
            case ast.Attribute(value=ast.Name(id=name)) if name in functions:
                return False
    return all(_simple(annotation) for annotation in _annotations(found))


def plain(tree: ast.Module, found: list[ast.AST], package: str, undefined: frozenset[str] = frozenset()) -> bool:
    """Whether the program can neither remember anything nor see an address, an identity or a size of memory.

    Such a program behaves the same in every run of one process and leaves nothing behind in it, so its counterfactual needs no process
    of its own, and other plain programs may follow in the same one. It is a list of what is allowed (`rules.py`): the library without the
    `undefined` functions, which return what memory held before, `math`, builtins and methods that work on values alone. No sets (they are
    ordered by address), no `try` (it catches a lack of memory), no text from objects (it has addresses). All else takes the longer way.
    """
    skipped = {node for annotation in _annotations(found) for node in ast.walk(annotation)}
    imported: set[str] = set()
    typing: set[str] = set()
    read: set[str] = set()
    bound: set[str] = set()
    attributes: list[ast.Attribute] = []
    for node in found:
        if node in skipped:
            continue
        if type(node) not in PLAIN_NODES:
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
            case ast.Import(names=names):
                if any(name.name.partition(".")[0] not in (package, "math") for name in names):
                    return False
                imported |= {_binds(name) for name in names}
            case ast.ImportFrom(module=module, names=names):
                wanted = {name.name for name in names}
                if module == "typing" and wanted <= PLAIN_TYPES:
                    typing |= {_binds(name) for name in names}
                elif (module or "").partition(".")[0] in (package, "math") and not wanted & (undefined | {"*"}):
                    imported |= {_binds(name) for name in names}
                elif module != "__future__":
                    return False
            case ast.Compare(ops=ops, comparators=sides):
                for op, side in zip(ops, sides, strict=True):
                    if isinstance(op, ast.Is | ast.IsNot) and not isinstance(side, ast.Constant):
                        return False
    # A name has one meaning in all of the program: a parameter somewhere does not free the builtin that it hides elsewhere.
    own = bound - HIDDEN_BUILTINS
    if (
        (imported | typing) & bound
        or not read <= own | imported | PLAIN_BUILTINS
        or any(n.startswith("__") for n in bound)
    ):
        return False
    for node in attributes:
        if node.attr.startswith("_") or node.attr in undefined or node.attr == "mro":
            return False
        if node.attr not in PLAIN_ATTRIBUTES and _root(node) not in imported:
            return False
    return stateless(tree, found)


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


def _loaded(found: list[ast.AST]) -> frozenset[str]:
    """Every name that the program reads anywhere."""
    return frozenset(n.id for n in found if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store))


def _binds(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _refusals(tree: ast.Module, found: list[ast.AST], package: str) -> Iterator[Refusal]:
    used, defined = _loaded(found), _defined(found)
    libraries = {package} | {
        n.asname or n.name.partition(".")[0]
        for node in found
        if isinstance(node, ast.Import)
        for n in node.names
        if n.name.partition(".")[0] == package
    }
    for node in _executed(tree) if "__name__" in used else found:
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Import(names=names):
                for name in names:
                    if _binds(name) in used or name.name.partition(".")[0] in NUMERIC:
                        yield from _module(name.name, line, package)
            case ast.ImportFrom(module=module, names=names, level=level):
                if level:
                    yield Refusal("imports", line, "a relative import")
                else:
                    numeric = (module or "").partition(".")[0] in NUMERIC
                    wanted = [n.name for n in names if numeric or n.name == "*" or _binds(n) in used]
                    if wanted:
                        yield from _from(module or "", wanted, line, package)
            case ast.Attribute(attr=attr):
                if reflective(attr):
                    yield Refusal("reflection", line, f"the attribute {attr}")
                if attr.startswith("_") and not attr.endswith("__") and _root(node) in libraries:
                    yield Refusal("reflection", line, f"the private name {attr} of the library")
                if isinstance(node.ctx, ast.Store | ast.Del) and _root(node) in libraries:
                    yield Refusal("the library is not changed", line, f"assignment to {package}.{attr}")
            case ast.MatchClass(kwd_attrs=attrs):
                for attr in attrs:
                    if reflective(attr) or attr in FORMATS:
                        yield Refusal("reflection", line, f"the attribute {attr} in a pattern")
            case ast.Name(id=name, ctx=ast.Load()):
                if name in FORBIDDEN_BUILTINS and name not in defined:
                    yield Refusal("builtins", line, f"{name}()")
                if name in {"__import__", "__builtins__", "__loader__", "__spec__"}:
                    yield Refusal("reflection", line, name)
            case ast.Constant(value=str(text)) if reflective(text):
                yield Refusal("reflection", line, f"the attribute name {text!r}")


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those below `if __name__ == "__main__":`, which is never true here."""
    yield node
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant(value="__main__")])):
                for other in child.orelse:
                    yield from _executed(other)
            case _:
                yield from _executed(child)


def _module(module: str, line: int, package: str) -> Iterator[Refusal]:
    root = module.partition(".")[0]
    if root == package:
        if any(part.startswith("_") for part in module.split(".")):
            yield Refusal("imports", line, f"import of {module}, which is private")
        return
    if module in MODULES:
        return
    yield Refusal("imports", line, f"import of {module}")


def _from(module: str, names: list[str], line: int, package: str) -> Iterator[Refusal]:
    if module.partition(".")[0] == package:
        for part in (*module.split("."), *names):
            if part.startswith("_"):
                yield Refusal("imports", line, f"import of {part} from {module}, which is private")
        return
    if module not in MODULES:
        yield Refusal("imports", line, f"import from {module}")
    elif module in ONLY:
        for name in names:
            if name not in ONLY[module]:
                yield Refusal("imports", line, f"import of {name} from {module}")


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _defined(found: list[ast.AST]) -> frozenset[str]:
    """Every name that the program itself gives a meaning."""
    names: set[str] = set()
    for node in found:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
            ):
                names.add(name)
    return frozenset(names)


class _Prepared(ast.NodeTransformer):
    def __init__(self, used: frozenset[str]) -> None:
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
                    return self.visit_Attribute(ast.copy_location(ast.Attribute(value, name, ast.Load()), node))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in FORMATS or not isinstance(node.ctx, ast.Load):
            return node
        guard = ast.Name(FORMAT_GUARD, ast.Load())
        return ast.copy_location(ast.Call(guard, [node.value, ast.Constant(node.attr)], []), node)
