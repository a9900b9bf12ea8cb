"""Parses input kinds written as text, such as "Matrix(Int(0, 9), rows=(3, 6), cols=7)", without evaluating anything
else.

Only constructors of `bank/kinds.py` with literals are allowed. Their arguments are checked too, because a kind has no
limits of its own: it would draw a list of a billion numbers without complaint.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from inspect import signature
from math import prod
from types import MappingProxyType
from typing import Any

from sebench.bank import kinds
from sebench.bank.kinds import Element, InputKind

NAMES = (
    "Int Float Bool Complex Word Choice Missing Vector Matrix Cube Ragged Probabilities Permutation Symmetric "
    "PositiveDefinite "
    "Invertible Either Echo Folded"
).split()
# What models write instead, and what small models mean by a kind without arguments.
SYNONYMS = {
    **dict.fromkeys(("int", "Integer"), "Int"),
    **dict.fromkeys(("float", "Real", "Number"), "Float"),
    **dict.fromkeys(("bool", "Boolean"), "Bool"),
    "complex": "Complex",
    "str": "Word",
}
BARE = {
    "Int": "Int(1, 20)",
    "Float": "Float(0.5, 20)",
    "Bool": "Bool()",
    "Complex": "Complex(-5, 5)",
    "Word": "Word()",
    "Vector": "Vector()",
    "Matrix": "Matrix()",
}
LISTS = frozenset({"list", "List", "tuple", "Tuple", "Sequence", "Iterable", "Vector"})
LENGTHS = ("length", "rows", "cols", "depth", "size")
LONGEST = kinds.LONGEST  # length of a list
LARGEST = 10**9  # absolute value of a number
MOST_TEXT = 2_000  # characters of a kind as text
_SHARED = re.compile(r"[^\W\d]\w{0,40}\s*(?:-\s*\d{1,3})?")  # a bound that names a shared length: "n", "n-1"


def read(text: str) -> InputKind:
    """Parse the kind that a string describes; raise a ValueError that says what is wrong with it."""
    if len(text) > MOST_TEXT:
        raise ValueError(f"a kind has {len(text):,} characters; at most {MOST_TEXT:,} are allowed")
    try:
        kind = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"'{text}' is not a valid kind; write something like Vector(Int(0, 9), (2, 6))") from None
    if not isinstance(kind, InputKind):
        raise ValueError(f"'{text}' is not a kind; the kinds are {', '.join(NAMES)}")
    return kind


def from_type(annotation: ast.expr) -> str:
    """Return the kind, as text, for an annotation that has Python's types, as models write them: `int`, `list[float]`,
    `List[List[int]]`, `Vector(float, 5)`, `Vector[Int(1, 6), 5]` or one of these in quotes. Lists share their lengths,
    so that functions of two of them work. Other annotations are returned as they are."""
    if isinstance(annotation, ast.Constant) and isinstance(text := annotation.value, str):
        try:
            annotation = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, RecursionError, MemoryError, ValueError):
            return text
    depth, element = 0, annotation
    if isinstance(element, ast.Subscript) and isinstance(element.value, ast.Name) and element.value.id in NAMES:
        several = element.slice.elts if isinstance(element.slice, ast.Tuple) else [element.slice]
        if len(several) > 1 or element.value.id != "Vector":
            element = ast.Call(element.value, several, [])
    while isinstance(element, ast.Subscript) and isinstance(element.value, ast.Name) and element.value.id in LISTS:
        depth, element = depth + 1, element.slice
        if isinstance(element, ast.Tuple) and len(element.elts) == 2 and ast.unparse(element.elts[1]) == "...":
            element = element.elts[0]  # of `tuple[int, ...]`
    if depth > 3 or not isinstance(element, ast.Name | ast.Call):
        return ast.unparse(annotation)
    text = ast.unparse(_BareKinds().visit(element))
    return (text, f'Vector({text}, "n")', f'Matrix({text}, "n", "m")', f'Cube({text}, "k", "n", "m")')[depth]


class _BareKinds(ast.NodeTransformer):
    """Replaces the names of kinds and types without arguments, which stand for themselves or in a call."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = BARE.get(SYNONYMS.get(node.id, node.id))
        return ast.parse(text, mode="eval").body if text else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(one) for one in node.args]
        return node


def lengths(data: Any) -> Mapping[str, tuple[int, int]]:
    """Read the ranges of shared lengths from {"n": [2, 5]}."""
    if not isinstance(data, Mapping):
        raise ValueError("lengths must map each name to two numbers")
    ranges = {name: tuple(pair) if isinstance(pair, list | tuple) else () for name, pair in data.items()}
    for name, pair in ranges.items():
        if not str(name).isidentifier() or len(pair) != 2 or not _is_length(pair):
            raise ValueError(f"the length '{name}' must be two whole numbers from 0 to {LONGEST}, the smaller first")
    return MappingProxyType({name: (pair[0], pair[1]) for name, pair in ranges.items()})


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            if isinstance(value, int | float) and not abs(value) <= LARGEST:
                raise ValueError(f"the number {value} is too large")
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -_value(ast.Constant(value))
        case ast.UnaryOp(op=ast.UAdd(), operand=ast.Constant(value=int() | float()) as number):
            return _value(number)
        case ast.BinOp(ast.Constant(value=10 as base), ast.Pow(), ast.Constant(value=int() as power)) if power < 20:
            return _value(ast.Constant(base**power))
        case ast.Name(id=name) if len(name) == 1:  # a shared length without its quotes
            return name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(map(_value, parts))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if SYNONYMS.get(name, name) in NAMES:
            return _construct(SYNONYMS.get(name, name), args, keywords)
    raise ValueError(
        f"'{ast.unparse(node)}' cannot be read; write one of the kinds {', '.join(NAMES)}, with only literals or other "
        "kinds as arguments"
    )


def _construct(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> InputKind:
    options = {word.arg: _value(word.value) for word in keywords if word.arg}
    if len(options) < len(keywords) or "part" in options:
        raise ValueError(f"{name} has an argument that is not allowed here")
    try:
        values = tuple(map(_value, args))
        if name == "Choice" and len(values) == 1 and isinstance(values[0], tuple):
            values = values[0]  # `Choice([1, 2, 3])`
        bound = signature(getattr(kinds, name)).bind(*values, **options)
        for field in LENGTHS:
            if isinstance(length := bound.arguments.get(field), tuple) and len(length) == 1:
                bound.arguments[field] = length[0]  # a list of ten as a shape: (10,)
        kind: InputKind = getattr(kinds, name)(*bound.args, **bound.kwargs)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
    settings = {f.name: getattr(kind, f.name) for f in fields(kind)} if is_dataclass(kind) else vars(kind)
    for field, value in settings.items():
        if field in _CHECKS and not _CHECKS[field](value):
            raise ValueError(f"{name}: {field} cannot be {value!r}")
    if isinstance(kind, kinds.Echo) and settings["part"] is not deepcopy:
        raise ValueError("Echo: 'part' is not allowed here")
    return kind


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LONGEST


def _is_length(value: Any) -> bool:
    if isinstance(value, tuple):
        return len(value) == 2 and all(map(_is_count, value)) and value[0] <= value[1]
    return _is_count(value) or (isinstance(value, str) and value.isidentifier())


def _is_bound(value: Any) -> bool:
    return type(value) in (int, float) or (isinstance(value, str) and _SHARED.fullmatch(value) is not None)


def _are(kind: type | tuple[type, ...], least: int = 0) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and len(value) >= least and all(isinstance(v, kind) for v in value)


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(LENGTHS, _is_length),
    **dict.fromkeys(("low", "high"), _is_bound),
    **dict.fromkeys(("unique", "sorted", "nonzero"), _is(bool)),
    "decimals": lambda value: type(value) is int and 0 <= value <= 12,
    "but": _are(int),
    "words": _are(str, 1),
    "values": _are((bool, int, float, str), 1),
    "element": _is(Element),
    "marker": lambda value: type(value) in (int, float, str),
    "kinds": _are(InputKind, 1),
    "kind": _is(InputKind),
    "of": _is(str),
    "shape": lambda value: _are(int, 1)(value) and all(v > 0 for v in value) and prod(value) <= LONGEST,
}
