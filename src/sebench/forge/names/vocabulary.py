"""Words that code and prose share: NumPy's constants, kinds and array methods, and their counterparts in a world.

This module has only tables. The words for kinds are those that forged arrays show as `dtype`.
"""

from __future__ import annotations

import re

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

# The strings that NumPy accepts as a dtype.
KIND_OF_CODE = (
    {name: word for name, word in KINDS.items() if not name.endswith("_")}
    | {"int": "int", "float": "float", "complex": "complex", "str": "str", "?": "bool", "U": "str"}
    | {"i1": "int_8", "i2": "int_16", "i4": "int_32", "i8": "int", "i": "int_32", "l": "int", "b": "int_8"}
    | {"u1": "unsigned_8", "u2": "unsigned_16", "u4": "unsigned_32", "u8": "unsigned_64"}
    | {"f2": "float_16", "f4": "float_32", "f8": "float", "f": "float_32", "d": "float"}
    | {"c8": "complex_64", "c16": "complex", "F": "complex_64", "D": "complex"}
)

# The attributes of a forged array. Everything else is done by functions.
ARRAY_ATTRIBUTES = frozenset({"shape", "ndim", "size", "T", "dtype", "tolist"})

# Attributes that plain Python values have too: these names do not show that the value is an array.
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

# Functions that a world may lack because another one returns the same values.
STAND_INS = {"asarray": "array", "asanyarray": "array", "copy": "array", "ascontiguousarray": "array"}
