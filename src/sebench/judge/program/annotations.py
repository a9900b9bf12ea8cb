"""Removes annotations and type aliases from a program, if evaluating them has no effect and cannot fail."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from sebench.judge.program.program_names import bound_name, refuse_if
from sebench.judge.program.rules import FUTURE, GENERICS, TYPES

SPECIAL_FORMS = frozenset("Optional Union Final".split())


def remove_annotations(
    tree: ast.Module, nodes: list[ast.AST], package: str, array: str
) -> tuple[ast.Module, list[ast.AST], dict[str, ast.stmt]]:
    """Return three things: the program without annotations, the list of its nodes, and the statements that define its
    type aliases, by name. Raise NotStateless if evaluating an annotation could have an effect or fail."""
    annotations = [annotation for annotation in _evaluated_annotations(tree, nodes) if annotation is not None]
    if not annotations and not any(isinstance(n, ast.AnnAssign) for n in nodes):
        return tree, nodes, {}  # most answers
    first = next((i for i, s in enumerate(tree.body) if isinstance(s, ast.FunctionDef | ast.ClassDef)), len(tree.body))
    typing = {
        bound_name(name): name.name
        for node in tree.body[:first]
        if isinstance(node, ast.ImportFrom) and node.module in ("typing", "collections.abc") and not node.level
        for name in node.names
    }
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored += [n.arg for n in nodes if isinstance(n, ast.arg)]
    stored += [n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    futures = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.module == FUTURE]
    later = any(name.name == "annotations" for n in futures for name in n.names)  # then no annotation is evaluated
    reader = TypeReader({name: of for name, of in typing.items() if name not in stored}, set(stored))
    reader.array = array
    reader.library = {
        bound_name(a) for s in tree.body[:first] if isinstance(s, ast.Import) for a in s.names if a.name == package
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
    refuse_if(not later and not all(map(reader.harmless, annotations)))
    # for a target such as `x.y` or `x[i]`, Python also evaluates its parts
    refuse_if(any(isinstance(n, ast.AnnAssign) and not isinstance(n.target, ast.Name) for n in nodes))
    bare: ast.Module = ast.fix_missing_locations(RemoveAnnotations(reader).visit(copied))
    return bare, list(ast.walk(bare)), aliases


def _evaluated_annotations(tree: ast.Module, nodes: list[ast.AST]) -> Iterator[ast.expr | None]:
    """Yield the annotations that Python evaluates, which excludes those of local variables."""
    bodies = [tree.body, *(n.body for n in nodes if isinstance(n, ast.ClassDef))]
    for node in nodes:
        match node:
            case ast.arg(annotation=annotation) | ast.FunctionDef(returns=annotation):
                yield annotation
            case ast.AnnAssign(annotation=annotation, target=target):
                if not isinstance(target, ast.Name) or any(node in body for body in bodies):
                    yield annotation


class TypeReader:
    """Recognizes annotations that only name types and cannot fail when evaluated."""

    def __init__(self, typing: Mapping[str, str], stored: set[str]) -> None:
        self.typing, self.stored = typing, stored
        self.library: set[str] = set()  # names of the library, whose array type is `array`
        self.array = ""
        self.defined: dict[str, int] = {}  # types that the program defines, with the line from which they exist

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
                return self._accepts(name, inner.elts if isinstance(inner, ast.Tuple) else [inner])
            case ast.BinOp(left=ast.Name() | ast.Subscript() as left, op=ast.BitOr(), right=right):
                return self._names_type(left) and self._names_type(right)
            case _:
                return False

    def _is_type(self, name: str) -> bool:
        return (name in TYPES and name not in self.stored) or self.typing.get(name) in GENERICS

    def _accepts(self, name: str, inner: list[ast.expr]) -> bool:
        """Whether a type may be subscripted with these expressions."""
        most = GENERICS.get(self.typing.get(name, ""), 0)
        if name in ("list", "dict", "tuple", "set", "frozenset") and name not in self.stored:
            most = 9
        if any(isinstance(part, ast.Name) and self.typing.get(part.id) in SPECIAL_FORMS for part in inner):
            return False  # without brackets they are not types
        dots = inner[1:] and isinstance(inner[-1], ast.Constant) and inner[-1].value is ...
        return most in (len(inner), 9) and all(map(self._names_type, inner[:-1] if dots and most == 9 else inner))


class RemoveAnnotations(ast.NodeTransformer):
    """Removes annotations; dataclass fields keep a dummy one."""

    def __init__(self, types: TypeReader) -> None:
        self.types, self.inside = types, False  # inside a function

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        inside, self.inside = self.inside, True
        self.generic_visit(node)
        self.inside = inside
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        fields = [s for s in node.body if isinstance(s, ast.AnnAssign)] if node.decorator_list else []
        for statement in fields:
            # the annotation may say that it is not a field
            refuse_if(isinstance(statement.annotation, ast.Constant) or not self.types.harmless(statement.annotation))
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
