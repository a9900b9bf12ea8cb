"""Parses values from text: arguments and printed results.

Arguments ("a=np.array([1, 2]), k=3") are read with `ast` and a short list of allowed nodes. Printed results ("[1. 2.]",
"(array([1]), 2.5)") are read by a custom parser, because NumPy's output is not Python: `['a' 'bc']` is two strings and
`[1 -2]` two numbers. Only constants are evaluated (`expressions.py`). Arrays become nested lists, and named results
become tuples.

A printout that was cut short ("[0 1 ... 9]") does not show its value, so `parse_printed` rejects it. Anything else that
cannot be parsed raises ValueError.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from math import e as euler
from math import inf, nan, pi
from typing import Any

from sebench.values.expressions import CASTS, OPERATORS, evaluate_constant
from sebench.values.tagged import MAX_DEPTH

_WORDS: dict[str, Any] = {
    "None": None, "True": True, "False": False, "True_": True, "False_": False, "nan": nan, "NaN": nan, "NAN": nan,
    "inf": inf, "Inf": inf, "infty": inf, "Infinity": inf, "PINF": inf, "NINF": -inf, "pi": pi, "e": euler,
    "infj": complex(0, inf), "nanj": complex(0, nan),
}  # fmt: skip
_PRINTED_WORDS = _WORDS.keys() - {"e", "pi"}
_SCALAR = re.compile(r"(?:float|int|uint|complex|bool|str|bytes|longdouble|double|single|half|intp|clongdouble)\d*_?")
_LIBRARY = frozenset({"np", "numpy", "math", "zwc"})


def parse_inputs(text: str, parameters: Sequence[str] = (), *, expressions: bool = True) -> dict[str, Any]:
    """Return the arguments by name; positional ones are named after `parameters`, in order. Without `expressions`,
    nothing is evaluated, and a value has no more elements than its text has characters."""
    call = parse_call(text)
    if len(call.args) > len(parameters):
        raise ValueError(
            f"{quote_short(text)}: more positional arguments ({len(call.args)}) than parameters ({len(parameters)})"
        )
    read = _argument_value if expressions else _node_value
    arguments = {name: read(value) for name, value in zip(parameters, call.args, strict=False)}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError(f"{quote_short(text)}: a ** argument is not a plain value")
        if keyword.arg in arguments:
            raise ValueError(f"{quote_short(text)}: argument {keyword.arg!r} appears twice")
        arguments[keyword.arg] = read(keyword.value)
    return arguments


def _argument_value(node: ast.expr) -> Any:
    """Return the value of an argument: a literal, or a constant NumPy expression."""
    try:
        return _node_value(node)
    except ValueError as error:
        if not any(isinstance(n, ast.Name) and n.id in ("np", "numpy") for n in ast.walk(node)):
            raise
        try:
            return evaluate_constant(node)
        except ValueError:
            raise error from None


def parse_call(text: str) -> ast.Call:
    """Parse the arguments as a call to a dummy function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(f"f(\n{text}\n)")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ValueError(f"the arguments {quote_short(text)} are not valid Python: {error}") from None
    match tree.body:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="f")) as call)]:
            return call
    raise ValueError(f"{quote_short(text)} is not a list of arguments")


def _node_value(node: ast.expr, depth: int = 0) -> Any:
    """Return the value of an expression made of allowed nodes."""
    if depth > MAX_DEPTH:
        raise ValueError(f"the arguments are nested more than {MAX_DEPTH} levels deep")
    depth += 1
    match node:
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.List(elts=items):
            return [_node_value(item, depth) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_node_value(item, depth) for item in items)
        case ast.Set(elts=items):
            return _build_hashed(set, [_node_value(item, depth) for item in items])
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = [
                (_node_value(k, depth), _node_value(v, depth))
                for k, v in zip(keys, values, strict=True)
                if k is not None
            ]
            return _build_hashed(dict, pairs)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            number = _number(_node_value(operand, depth), node)
            if isinstance(number, complex) and isinstance(sign, ast.USub):
                return complex(-number.real or 0.0, -number.imag)  # "-2j" is how Python prints complex(0, -2)
            return -number if isinstance(sign, ast.USub) else number
        case ast.BinOp():
            return _arithmetic(node, depth)
        case ast.Name(id=name) if name in _PRINTED_WORDS:
            return _WORDS[name]
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in _LIBRARY and name in _WORDS:
            return _WORDS[name]
        case ast.Call():
            return _call_value(node, depth)
    raise _not_plain(node)


def _arithmetic(node: ast.BinOp, depth: int) -> Any:
    left, right = _number(_node_value(node.left, depth), node), _number(_node_value(node.right, depth), node)
    try:
        match node.op:
            case ast.Add() | ast.Sub() if (
                isinstance(right, complex) and not right.real and not isinstance(left, complex)
            ):
                # the two parts of a printed complex number, not a sum, which would lose the sign of a zero
                return complex(left, right.imag if isinstance(node.op, ast.Add) else -right.imag)
            case ast.Add() | ast.Sub() | ast.Mult() | ast.Div():
                return OPERATORS[type(node.op)](left, right)
            case ast.Pow() if isinstance(right, int) and abs(right) <= 64 and abs(left) <= 1e6:
                return left**right
    except ArithmeticError as error:
        raise ValueError(f"{quote_short(ast.unparse(node))}: {error}") from None
    raise _not_plain(node)


def _call_value(node: ast.Call, depth: int) -> Any:
    """Return the value of a call such as `np.array([...], dtype=float)`, `float('nan')`, `np.int64(3)`, `set()` or
    `tuple([...])`."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id=("np" | "numpy" | "zwc")), attr=name):
            values = [_node_value(argument, depth) for argument in node.args]
        case _:
            raise _not_plain(node)
    options = {keyword.arg: keyword.value for keyword in node.keywords}
    try:
        if name in ("array", "asarray", "matrix") and len(values) == 1 and options.keys() <= {"dtype"}:
            return _cast(_as_lists(values[0]), ast.unparse(options["dtype"]) if options else "")
        if name in ("set", "frozenset", "tuple", "list", "dict") and len(values) <= 1 and not options:
            kind: Any = {"set": set, "frozenset": frozenset, "tuple": tuple, "list": list, "dict": dict}[name]
            return kind(*values)
        if name == "complex" and len(values) == 2 and not options:
            return complex(*values)
        if _SCALAR.fullmatch(name) and len(values) == 1 and not options:
            return _cast(values[0], name)
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"{quote_short(ast.unparse(node))}: {error}") from None
    raise _not_plain(node)


def _cast(value: Any, kind: str) -> Any:
    """Convert the numbers in a value to the named type; "" changes nothing."""
    if isinstance(value, list):
        return [_cast(item, kind) for item in value]
    name = re.sub(r"[^a-z]", "", kind.rpartition(".")[2]).removeprefix("u")
    return CASTS[name](value) if name in CASTS else value


def _as_lists(value: Any) -> Any:
    return [_as_lists(item) for item in value] if isinstance(value, list | tuple) else value


def _build_hashed(kind: Callable[[Any], Any], items: Any) -> Any:
    try:
        return kind(items)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _number(value: Any, node: ast.expr) -> Any:
    if type(value) not in (int, float, complex):
        raise _not_plain(node)
    return value


def parse_printed(text: str) -> tuple[Any, bool]:
    """Return the printed value, and whether its numbers were printed by NumPy and are therefore rounded. Text that is
    not a printed value is returned unchanged. Raises ValueError if the printout is cut short."""
    if re.match(r"\s*<[^<>]* at 0x[0-9a-fA-F]+>", text) or re.match(r"\s*<(?:generator|map|zip|filter) ", text):
        raise ValueError(f"{quote_short(text)} is the name of an object, not its value")
    reader = _PrintoutParser(text)
    try:
        value = reader.value(0)
        reader.skip()
        if reader.position != len(text):
            return text, False
    except _NotAPrintout:
        return text, False
    return value, reader.rounded


class _NotAPrintout(Exception):
    """The text is not a printed value."""


_REAL = r"(?:\d++\.?\d*+(?:[eE][+-]?\d++)?|\.\d++(?:[eE][+-]?\d++)?|nan|inf)"
_COMPLEX_TOKEN = re.compile(rf"([+-]?{_REAL})[ ]*([+-]{_REAL})j(?!\w)")
_IMAGINARY_TOKEN = re.compile(rf"([+-]?{_REAL})j(?!\w)")
_NUMBER_TOKEN = re.compile(rf"[+-]?{_REAL}(?![\w.])")
_STRING_TOKEN = re.compile(r"""[bB]?(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")""")
_NAME_TOKEN = re.compile(r"[A-Za-z_][\w.]*")
_FIELD_TOKEN = re.compile(r"([A-Za-z_]\w*)\s*=\s*")
_DTYPE_TOKEN = re.compile(r"[\w.<>|]+")
_CLASS_TOKEN = re.compile(r"<class '[\w.]+'>")


class _PrintoutParser:
    """A recursive-descent parser for printed values; elements may be separated by commas or spaces."""

    def __init__(self, text: str) -> None:
        self.text, self.position, self.rounded = text, 0, False

    def skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
        return match

    def at(self, mark: str) -> bool:
        self.skip()
        if self.text.startswith(mark, self.position):
            self.position += len(mark)
            return True
        return False

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError(f"the printed value is nested more than {MAX_DEPTH} levels deep")
        if self.at("["):
            return self.items("]", depth)[0]
        if self.at("("):
            items, commas = self.items(")", depth)
            return items[0] if len(items) == 1 and not commas else tuple(items)
        if self.at("{"):
            return self.braces(depth)
        if match := self.take(_STRING_TOKEN):
            try:
                return ast.literal_eval(match.group())
            except (SyntaxError, ValueError):
                raise _NotAPrintout from None
        if match := self.take(_COMPLEX_TOKEN):
            return complex(float(match[1]), float(match[2]))
        if match := self.take(_IMAGINARY_TOKEN):
            return complex(0.0, float(match[1]))
        if match := self.take(_NUMBER_TOKEN):
            digits = match.group()
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        if match := self.take(_NAME_TOKEN):
            return self.named_value(match.group(), depth)
        raise _NotAPrintout

    def items(self, closing: str, depth: int) -> tuple[list[Any], int]:
        """Parse the elements up to the closing bracket; return them and the number of commas."""
        items: list[Any] = []
        commas = 0
        while not self.at(closing):
            self.refuse_gap()
            items.append(self.value(depth + 1))
            if self.at(","):
                commas += 1
        single = closing == "]" and len(items) == 1 and not commas
        if (single or len(items) - commas > 1) and any(isinstance(v, float | complex) for v in items):
            self.rounded = True  # no commas between numbers: NumPy printed them
        return items, commas

    def refuse_gap(self) -> None:
        if self.at("..."):
            raise ValueError(f"{quote_short(self.text)} is cut short: the printout has '...' in place of elements")

    def braces(self, depth: int) -> Any:
        pairs: list[tuple[Any, Any]] = []
        singles: list[Any] = []
        while not self.at("}"):
            self.refuse_gap()
            key = self.value(depth + 1)
            if self.at(":"):
                pairs.append((key, self.value(depth + 1)))
            else:
                singles.append(key)
            self.at(",")
        if pairs and singles:
            raise _NotAPrintout
        return self.build_hashed(set, singles) if singles else self.build_hashed(dict, pairs)

    def build_hashed(self, kind: Callable[[Any], Any], items: Any) -> Any:
        try:
            return kind(items)
        except (TypeError, ValueError):
            raise _NotAPrintout from None

    def named_value(self, name: str, depth: int) -> Any:
        """Parse a word such as `nan` or `np.True_`, or a call such as `array([1, 2])`."""
        module, _, bare = name.rpartition(".")
        if not self.text.startswith("(", self.position):
            if bare in _PRINTED_WORDS and module in ("", "np", "numpy"):
                return _WORDS[bare]
            raise _NotAPrintout
        self.position += 1
        values, fields = self.arguments(depth)
        if bare in ("set", "frozenset") and len(values) <= 1 and not fields:
            return self.build_hashed((frozenset if bare == "frozenset" else set), values[0] if values else [])
        kind, shape = fields.pop("dtype", ""), fields.pop("shape", ())
        if fields:  # a named result
            return (*values, *fields.values())
        if len(values) == 2 and isinstance(values[1], dict):  # defaultdict(..., {...})
            return values[1]
        if len(values) != 1:
            raise _NotAPrintout
        [value] = values
        if bare == "OrderedDict" and isinstance(value, list):
            return self.build_hashed(dict, value)
        if isinstance(value, list):
            self.rounded = True
            return (
                _empty_nested(shape) if not value and shape else _cast(value, kind) if "float" in str(kind) else value
            )
        if isinstance(value, str | bytes) and not _SCALAR.fullmatch(bare) and bare != "array":
            raise _NotAPrintout  # f('x') is text; float64(2.5) or ZWCArray(2.5) is a number
        return value

    def arguments(self, depth: int) -> tuple[list[Any], dict[str, Any]]:
        values: list[Any] = []
        fields: dict[str, Any] = {}
        while not self.at(")"):
            self.skip()
            if match := self.take(_FIELD_TOKEN):
                raw = self.take(_DTYPE_TOKEN) if match[1] == "dtype" else None
                fields[match[1]] = raw.group() if raw else self.value(depth + 1)
            elif self.take(_CLASS_TOKEN):
                values.append(None)
            else:
                values.append(self.value(depth + 1))
            if not self.at(",") and not self.text.startswith(")", self.position):
                raise _NotAPrintout
        return values, fields


def _empty_nested(shape: Any) -> Any:
    """Return empty nested lists of a given shape: (2, 0) is [[], []]."""
    if not isinstance(shape, tuple) or not all(isinstance(n, int) and 0 <= n < 10_000 for n in shape) or len(shape) > 4:
        raise _NotAPrintout
    return [_empty_nested(shape[1:]) for _ in range(shape[0])] if shape and shape[0] else []


def _not_plain(node: ast.expr) -> ValueError:
    return ValueError(f"{quote_short(ast.unparse(node))} is not a plain value")


def quote_short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")
