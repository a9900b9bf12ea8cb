"""The calls that a page shows, in NumPy's terms and with plain values: what drafted questions are made from.

    shown(world, "take", page)      # [PageCall((Given("a", [62, 64, 65], True, False), Given("indices", [6, 0], True, False)), "list")]

A page's session is read, not run: variables are replaced by what they were bound to, and arrays by the lists that they were made from.

Not covered: arguments that are neither numbers, truth values, texts, None nor lists and tuples of these; such calls are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, nan, pi
from typing import Any

from sebench.author.proposals import in_numpy
from sebench.learn.study.calls import bound_arguments, inlined, parameters
from sebench.records import ApiDoc
from sebench.world import World

CONSTANTS = {"nan": nan, "inf": inf, "pi": pi, "e": 2.718281828459045}
NUMBER, TRUTH, LIST, ROWS, STACK, TUPLE, TEXT = "number", "truth", "list", "rows", "stack", "tuple", "text"


@dataclass(frozen=True)
class Given:
    """An argument of a call."""

    parameter: str
    value: Any
    needed: bool  # whether the function has no default for it
    by_name: bool


@dataclass(frozen=True)
class PageCall:
    """A call of the page's function."""

    given: tuple[Given, ...]
    result: str  # what the page prints: a number, a list, ...


def in_numpys_terms(world: World, function: str) -> ApiDoc:
    """The page of a function with NumPy's names."""
    page = world.page(function)
    return replace(
        page,
        signature=in_numpy(world, page.signature),
        summary=in_numpy(world, page.summary),
        text=in_numpy(world, page.text),
    )


def shown(world: World, function: str, page: ApiDoc) -> list[PageCall]:
    """The calls of a page that can be read, each once. `page` is the one in NumPy's terms."""
    bound, found = dict[str, ast.expr](), list[PageCall]()
    for step in world.page(function).examples:
        output = in_numpy(world, step.output)
        for node in _statements(in_numpy(world, step.code)):
            match node:
                case ast.Assign(targets=[ast.Name(id=variable)], value=value):
                    bound[variable] = inlined(value, bound)
                case ast.Expr(value=ast.Call(func=called) as call) if ast.unparse(called) == f"np.{function}":
                    found += _read(inlined(call, bound), page, output)
    return list({repr(call): call for call in found}.values())


def _statements(code: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except SyntaxError:
        return []


def _read(call: ast.expr, page: ApiDoc, output: str) -> Iterator[PageCall]:
    """The call, if its arguments are plain and it gives a value."""
    if not isinstance(call, ast.Call) or not output or "Error" in output:
        return
    defaults = parameters(page)[1]
    arguments = bound_arguments(call, page)
    if not arguments or any(not argument.parameter for argument in arguments):
        return
    try:
        given = tuple(
            Given(a.parameter, _plain(ast.parse(a.code, mode="eval").body), a.parameter not in defaults, a.by_name)
            for a in arguments
        )
    except ValueError:
        return
    yield PageCall(given, _result(output))


def _plain(node: ast.expr) -> Any:
    """The value of a literal; ValueError for anything else."""
    match node:
        case ast.Constant(value=bool() | int() | float() | complex() | str() | None as value):
            return value
        case ast.List(elts=parts):
            return [_plain(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(_plain(part) for part in parts)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_number(_plain(inner))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
            one, other = _number(_plain(left)), _number(_plain(right))
            return one + other if isinstance(sign, ast.Add) else one - other
        case ast.Attribute(attr=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" as name)]):
            return CONSTANTS[name]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="array"), args=[inner], keywords=[]):
            return _plain(inner)
    raise ValueError(f"not a plain value: {ast.unparse(node)}")


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | complex):
        raise ValueError(f"not a number: {value!r}")
    return value


def _result(output: str) -> str:
    """What kind of value a page prints."""
    text = output.strip()
    if text in ("True", "False"):
        return TRUTH
    if opened := re.match(r"array\((\[+)", text):
        return (LIST, ROWS, STACK)[min(len(opened[1]), 3) - 1]
    if text.startswith(("[", "(")):
        return LIST if text.startswith("[") else NUMBER if re.fullmatch(r"\([-+\d.ej]+\)", text) else TUPLE
    return TEXT if text.startswith(("'", '"')) else TUPLE if re.match(r"[A-Z]\w*\(", text) else NUMBER
