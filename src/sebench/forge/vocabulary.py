"""Words that code and prose share: NumPy's constants, kinds and array methods, and what a world has instead.

Tables and two readers of signatures, no logic. The kind words are those that the forged arrays show as
`dtype`.
"""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from functools import cache

CONSTANTS = {
    "pi": "math.pi",
    "e": "math.e",
    "inf": 'float("inf")',
    "nan": 'float("nan")',
    "euler_gamma": "0.5772156649015329",
    "newaxis": "None",
    "True_": "True",
    "False_": "False",
}

# NumPy's scalar types -> kind words. bool, int, float, complex and str are also Python's own types.
KINDS = {
    "bool": "bool",
    "bool_": "bool",
    "int_": "int",
    "intp": "int",
    "int64": "int",
    "longlong": "int",
    "float64": "float",
    "double": "float",
    "complex128": "complex",
    "cdouble": "complex",
    "str_": "str",
    "int8": "int_8",
    "byte": "int_8",
    "int16": "int_16",
    "short": "int_16",
    "int32": "int_32",
    "intc": "int_32",
    "uint8": "unsigned_8",
    "ubyte": "unsigned_8",
    "uint16": "unsigned_16",
    "ushort": "unsigned_16",
    "uint32": "unsigned_32",
    "uintc": "unsigned_32",
    "uint64": "unsigned_64",
    "uintp": "unsigned_64",
    "uint": "unsigned_64",
    "float16": "float_16",
    "half": "float_16",
    "float32": "float_32",
    "single": "float_32",
    "complex64": "complex_64",
    "csingle": "complex_64",
}

# The strings that NumPy takes for a dtype.
KIND_OF_CODE = (
    {name: word for name, word in KINDS.items() if not name.endswith("_")}
    | {"int": "int", "float": "float", "complex": "complex", "str": "str", "?": "bool", "U": "str"}
    | {"i1": "int_8", "i2": "int_16", "i4": "int_32", "i8": "int", "i": "int_32", "l": "int", "b": "int_8"}
    | {"u1": "unsigned_8", "u2": "unsigned_16", "u4": "unsigned_32", "u8": "unsigned_64"}
    | {"f2": "float_16", "f4": "float_32", "f8": "float", "f": "float_32", "d": "float"}
    | {"c8": "complex_64", "c16": "complex", "F": "complex_64", "D": "complex"}
)

# What a forged array has. Everything else is a function's work.
ARRAY_ATTRIBUTES = frozenset({"shape", "ndim", "size", "T", "dtype", "tolist"})

# Attributes that plain Python values have too: on these a name alone says nothing about arrays.
BUILTIN_ATTRIBUTES = frozenset(
    name
    for kind in (str, bytes, list, tuple, dict, set, int, float, complex, range, slice)
    for name in dir(kind)
    if not name.startswith("_")
)

# Methods and attributes of NumPy's arrays -> the function that does the same.
_SAME_NAME = """
    all any argmax argmin argpartition argsort astype choose clip compress conjugate cumprod cumsum diagonal
    dot imag max mean min nonzero prod ptp put ravel real repeat reshape round searchsorted squeeze std sum
    swapaxes take trace transpose var
"""
METHODS = {name: name for name in re.findall(r"\w+", _SAME_NAME)} | {
    "conj": "conjugate",
    "copy": "array",
    "flatten": "ravel",
    "mT": "linalg.matrix_transpose",
}
SHAPE_METHODS = frozenset({"reshape", "transpose"})

# Functions that a world may lack because another one gives the same values.
STAND_INS = {"asarray": "array", "asanyarray": "array", "copy": "array", "ascontiguousarray": "array"}


@dataclass(frozen=True)
class Parameters:
    """What a signature takes: by position, by name, as `*rest` and as `**keywords`."""

    positional: tuple[str, ...]
    named: tuple[str, ...]
    rest: str
    keywords: str
    defaults: tuple[tuple[str, str], ...]  # parameter and its default as written

    @property
    def all(self) -> tuple[str, ...]:
        """Every parameter in the order of the signature."""
        only = [n for n in self.named if n not in self.positional]
        return (
            *self.positional,
            *([self.rest] if self.rest else []),
            *only,
            *([self.keywords] if self.keywords else []),
        )


@cache
def parameters(signature: str) -> Parameters:
    """Reads "(a, axis=None, *, ddof=0)"."""
    function = ast.parse(f"def f{signature}: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    args = function.args
    positional = [a.arg for a in (*args.posonlyargs, *args.args)]
    named = [*positional, *(a.arg for a in args.kwonlyargs)]
    defaults = [
        *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
        *((a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None),
    ]
    return Parameters(
        positional=tuple(positional),
        named=tuple(named),
        rest=args.vararg.arg if args.vararg else "",
        keywords=args.kwarg.arg if args.kwarg else "",
        defaults=tuple((name, ast.unparse(default)) for name, default in defaults),
    )


@cache
def numpy_positions(path: str) -> tuple[str, ...] | None:
    """The positional parameters of the installed NumPy's function; None where it does not tell."""
    import numpy

    value: object = numpy
    for name in path.split("."):
        value = getattr(value, name)
    try:
        found = inspect.signature(value).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        return None
    return tuple(p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
