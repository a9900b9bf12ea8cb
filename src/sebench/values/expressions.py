"""Evaluates constant NumPy expressions in the arguments of published tasks: `np.linspace(0, 1, 5)`,
`np.arange(6).reshape(2, 3) * 2`.

Supports a short list of functions and methods that create and rearrange arrays, evaluated by NumPy itself and on
constants only. The size of a result is computed before it is created. Anything else raises ValueError.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from math import prod
from typing import Any

MOST_ELEMENTS = 100_000
MOST_DEPTH = 60
# Functions whose results have as many elements as all of their arguments together.
ARRANGING = frozenset(
    """array asarray reshape transpose ravel flip fliplr flipud roll sort diff cumsum concatenate stack
    vstack hstack column_stack diag tril triu outer radians degrees deg2rad rad2deg sin cos tan exp log sqrt
    abs absolute round float64 float32 int64 int32""".split()
)
METHODS = frozenset("reshape flatten ravel astype tolist copy transpose round".split())
OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
CASTS = {"float": float, "int": int, "bool": bool, "complex": complex}
CONSTANTS = ("pi", "e", "inf", "nan", "float64", "float32", "int64", "int32", "bool_", "complex128")


def evaluate_constant(node: ast.expr) -> Any:
    """Return the value of an expression, with arrays as nested lists."""
    import numpy

    try:
        with numpy.errstate(all="raise"):
            value = _ConstantEvaluator(numpy).value(node, 0)
    except (TypeError, ArithmeticError, OverflowError, IndexError, MemoryError) as error:
        raise ValueError(f"{ast.unparse(node)[:60]!r}: {error}") from None
    return value.tolist() if isinstance(value, numpy.ndarray | numpy.generic) else value


class _ConstantEvaluator:
    def __init__(self, numpy: Any) -> None:
        self.numpy = numpy

    def value(self, node: ast.expr, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise ValueError("the expression is nested too deeply")
        depth += 1
        match node:
            case ast.Constant(value=value) if type(value) in (int, float, complex, bool, str, type(None)):
                return value
            case ast.List(elts=items):
                return [self.value(item, depth) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item, depth) for item in items)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, depth)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return self._combine(op, self.value(left, depth), self.value(right, depth))
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name) if name in CONSTANTS:
                return getattr(self.numpy, name)
            case ast.Name(id=name) if name in CASTS:
                return CASTS[name]
            case ast.Attribute(value=inner, attr="T"):
                return self._array(self.value(inner, depth)).T
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name)):
                return self._call(name, *self._arguments(node, depth))
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in METHODS:
                args, options = self._arguments(node, depth)
                return getattr(self._array(self.value(inner, depth)), name)(*args, **options)
            case ast.Call(func=ast.Name(id="list" | "range" as name)):
                args, options = self._arguments(node, depth)
                numbers = self._call("arange", args, options)
                return numbers.tolist() if name == "range" else list(args[0])
        raise ValueError(f"{ast.unparse(node)[:60]!r} is not a constant")

    def _arguments(self, call: ast.Call, depth: int) -> tuple[list[Any], dict[str, Any]]:
        if any(keyword.arg is None for keyword in call.keywords):
            raise ValueError("a ** argument is not a constant")
        args = [self.value(argument, depth) for argument in call.args]
        return args, {str(k.arg): self.value(k.value, depth) for k in call.keywords}

    def _array(self, value: Any) -> Any:
        if not isinstance(value, self.numpy.ndarray):
            raise ValueError("it calls a method of something that is not an array")
        return value

    def _combine(self, op: ast.operator, left: Any, right: Any) -> Any:
        if not all(
            isinstance(v, int | float | complex | self.numpy.ndarray | self.numpy.generic) for v in (left, right)
        ):
            raise ValueError("it does arithmetic with something that is not a number")
        if isinstance(op, ast.Pow) and (
            self.numpy.max(self.numpy.abs(right)) > 64 or self.numpy.max(self.numpy.abs(left)) > 1e6
        ):
            raise ValueError("it contains a power that is too large")
        return OPERATORS[type(op)](left, right)

    def _call(self, name: str, args: list[Any], options: dict[str, Any]) -> Any:
        size = self._size(name, args, options)
        if not size <= MOST_ELEMENTS:
            raise ValueError(f"np.{name} would create {size:,.0f} elements")
        return getattr(self.numpy, name)(*args, **options)

    def _size(self, name: str, args: list[Any], options: dict[str, Any]) -> float:
        """Return an upper bound on the number of elements that a call creates."""

        def argument(position: int, key: str, default: Any) -> Any:
            return args[position] if len(args) > position else options.get(key, default)

        if name in ARRANGING:
            sizes = [self.numpy.size(a) for a in args if not isinstance(a, type)]
            square = max(sizes, default=0) ** 2 if name == "diag" else 0
            return float(prod(sizes) if name == "outer" else max(sum(sizes), square))
        match name:
            case "zeros" | "ones" | "full":
                shape = argument(0, "shape", 0)
                return float(prod(shape) if isinstance(shape, tuple | list) else shape)
            case "eye" | "identity" | "tri":
                return float(argument(0, "N", 0)) * float(argument(1, "M", None) or argument(0, "N", 0))
            case "arange":
                start, stop = (0, args[0]) if len(args) == 1 else (args[0], args[1])
                return float(abs(stop - start) / abs(argument(2, "step", 1) or 1) + 1)
            case "linspace" | "logspace" | "geomspace":
                return float(argument(2, "num", 50))
            case "tile" | "repeat":
                times = self.numpy.prod(argument(1, "reps", options.get("repeats", 1)))
                return float(self.numpy.size(args[0])) * float(times)
        raise ValueError(f"np.{name} is not supported in constant expressions")
