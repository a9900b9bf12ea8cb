"""Calls that pages show: each with its arguments written out, by the names of its parameters, and its true result.

A page's session (`x = ...`, then calls with `x`) is taken apart: variables are replaced by what they were bound to, and a call is kept
only if it gives, alone, what the page prints. So a call that depends on an earlier change of a variable falls away.

Not covered: steps that are more than one call of the page's function (a sum of two calls, an index into a result).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.learn.study import bench
from sebench.records import ApiDoc
from sebench.world import World

# Functions of Python that a written-out argument may use.
_BUILTINS = frozenset(dir(builtins)) - {"eval", "exec", "open", "print", "input", "id", "hash"}


@dataclass(frozen=True)
class Argument:
    """An argument as it is written."""

    parameter: str  # "" for one of `*args`
    code: str
    by_name: bool  # whether the call names the parameter


@dataclass(frozen=True)
class Call:
    """A call of a page's function that gives what the page prints."""

    page: ApiDoc
    name: str  # with the package
    arguments: tuple[Argument, ...]
    imports: tuple[str, ...]
    printed: str
    value: Any  # plain; None where that is not possible
    first: Any = None  # plain value of the first argument

    @property
    def code(self) -> str:
        return written(self.name, self.arguments)

    @property
    def program(self) -> str:
        return "\n".join([*(f"import {module}" for module in self.imports), self.code])


def written(name: str, arguments: Sequence[Argument], first: str = "") -> str:
    """A call as code, its first argument replaced by `first` if given."""
    parts = [f"{a.parameter}={a.code}" if a.by_name else a.code for a in arguments]
    if first:
        parts[0] = f"{arguments[0].parameter}={first}" if arguments[0].by_name else first
    return f"{name}({', '.join(parts)})"


def shown(world: World) -> list[Call]:
    """Every call that the pages show, in their order."""
    drafts = [draft for page in world.pages for draft in _drafts(page, world.names.package)]
    firsts = [_alone(draft) for draft in drafts]
    programs = [*(draft.program for draft in drafts), *firsts]
    ran = bench.run(world.package_folder, world.names.package, programs)
    found = []
    for draft, result, first in zip(drafts, ran, ran[len(drafts) :], strict=False):
        if result is not None and result.printed == draft.printed:
            value = first.value if first else None
            found.append(
                Call(draft.page, draft.name, draft.arguments, draft.imports, draft.printed, result.value, value)
            )
    return found


def _alone(draft: Call) -> str:
    """A program that gives the first argument of a call."""
    first = draft.arguments[0].code if draft.arguments else "None"
    return "\n".join([*(f"import {module}" for module in draft.imports), first])


def _drafts(page: ApiDoc, package: str) -> Iterator[Call]:
    bound: dict[str, ast.expr] = {}
    imports: list[str] = []
    name = f"{package}.{page.path}"
    for step in page.examples:
        for node in ast.parse(step.code).body:
            match node:
                case ast.Import(names=[ast.alias(name=module, asname=None)]):
                    imports.append(module)
                case ast.Assign(targets=[ast.Name(id=variable)], value=value):
                    bound[variable] = inlined(value, bound)
                case ast.Expr(value=ast.Call(func=function) as call) if ast.unparse(function) == name and step.output:
                    full = inlined(call, bound)
                    if not isinstance(full, ast.Call) or not _closed(full, {*imports, package}):
                        continue
                    if arguments := bound_arguments(full, page):
                        yield Call(page, name, arguments, tuple(imports), step.output, None)


class _Inliner(ast.NodeTransformer):
    def __init__(self, bound: Mapping[str, ast.expr]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.bound.get(node.id, node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        own = {argument.arg for argument in node.args.args}
        inner = _Inliner({name: value for name, value in self.bound.items() if name not in own})
        node.body = inner.visit(node.body)
        return node


def inlined(node: ast.expr, bound: Mapping[str, ast.expr]) -> ast.expr:
    """The expression with variables replaced by what they were bound to."""
    copy = ast.parse(ast.unparse(node), mode="eval").body
    done = _Inliner(bound).visit(copy)
    assert isinstance(done, ast.expr)
    return done


def _closed(node: ast.expr, known: set[str]) -> bool:
    """Whether an expression uses nothing but imports and Python's own functions."""
    own = {a.arg for n in ast.walk(node) if isinstance(n, ast.Lambda) for a in n.args.args}
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return all(n.id in known | own | _BUILTINS for n in ast.walk(node) if isinstance(n, ast.Name))


def bound_arguments(call: ast.Call, page: ApiDoc) -> tuple[Argument, ...]:
    """The arguments of a call with the names of their parameters; () where they cannot be told."""
    positional, _ = parameters(page)
    found = []
    for number, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            return ()
        found.append(Argument(positional[number] if number < len(positional) else "", ast.unparse(value), False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return ()
        found.append(Argument(keyword.arg, ast.unparse(keyword.value), True))
    return tuple(found)


def parameters(page: ApiDoc) -> tuple[list[str], dict[str, str]]:
    """The parameters that may be given by position, and the default of every parameter that has one."""
    listed = page.signature.partition("(")[2]
    tree = ast.parse(f"def _({listed}: pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    given = tree.args
    positional = [a.arg for a in (*given.posonlyargs, *given.args)]
    defaults = dict(
        zip(positional[len(positional) - len(given.defaults) :], map(ast.unparse, given.defaults), strict=True)
    )
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if default is not None:
            defaults[argument.arg] = ast.unparse(default)
    return positional, defaults
