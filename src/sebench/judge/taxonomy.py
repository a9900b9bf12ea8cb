"""Classifies exceptions: the five published error types, and the rest.

| kind | what it looks like |
|---|---|
| function hallucination | a name that the package does not have: `vok.mean`, `from vok import mean` |
| attribute hallucination | an attribute or method that arrays do not have: `x.mean()` |
| parameter error | a library function rejects its arguments: unknown keyword, too few, wrong type or shape |
| misread result | a result is treated as another type: unpacked, subscripted, called, or asked for missing attributes |
| native incompatibility | plain Python cannot handle an array: hash, truth of many elements, `math.sqrt`, JSON |

Also recognized: NumPy itself (imported, or used as `np` without an import), which models fall back on when they do not
know the library. The messages come from Python and from the forged package, so their form distinguishes the kinds.
"""

from __future__ import annotations

import re

from sebench.base.records import Kind
from sebench.judge.program.rules import ANSWER_MODULE, NUMERIC, NUMPY
from sebench.judge.sandbox.wire import Raised

_MISREAD = re.compile(
    r"cannot unpack|not enough values to unpack|too many values to unpack|is not subscriptable|is not iterable|has no "
    r"len\(\)"
    r"|is not callable|indices must be|object does not support "
    r"item|'(?:int|float|complex|bool|tuple|list|dict|str|NoneType)'"
    r" object has no attribute"
)
_NUMPY_BY_NAME = re.compile(r"name '(?:np|numpy)' is not defined")


def kind_of(error: Raised, package: str, array: str) -> Kind:
    """Classify an exception that a child reported."""
    name, text = error.type, error.message
    if name == "MemoryError":
        return Kind.MEMORY
    if name == "TimeoutError":
        return Kind.TIME
    root = _root(text) if name == "ModuleNotFoundError" else ""
    if root == NUMPY or (name == "NameError" and _NUMPY_BY_NAME.match(text)):
        return Kind.NUMPY
    if name == "PermissionError" or root in NUMERIC:
        return Kind.POLICY  # the sandbox refused it
    if re.search(rf"module '{package}(?:\.\w+)?' has no attribute|cannot import name '\w+' from '{package}", text):
        return Kind.FUNCTION_HALLUCINATION
    if name == "ModuleNotFoundError" and f"'{package}." in text:
        return Kind.FUNCTION_HALLUCINATION
    if f"'{array}' object has no attribute" in text:
        return Kind.ATTRIBUTE_HALLUCINATION
    if re.match(rf"{package}\.[\w.]+(?::| does not work| cannot work)", text) or "is not an element kind" in text:
        return Kind.PARAMETER_ERROR
    called = re.match(r"(\w+)\(\) (?:got an unexpected|missing|takes|got multiple|got some)", text)
    if name == "TypeError" and called and error.inside:
        return Kind.PARAMETER_ERROR
    if name in ("TypeError", "ValueError", "AttributeError", "IndexError", "KeyError") and _MISREAD.search(text):
        return Kind.MISREAD_RESULT
    if array in text:
        return Kind.NATIVE_INCOMPATIBILITY
    return Kind.RAISED


def describe(error: Raised) -> str:
    """Describe an exception in one line."""
    return f"line {error.line}: {error.type.removeprefix(f'{ANSWER_MODULE}.')}: {error.message[:300]}"


def _root(text: str) -> str:
    """Return the top-level package of the module that a message names; "" if it names none."""
    quoted = text.split("'")[1:2]
    return quoted[0].partition(".")[0] if quoted else ""
