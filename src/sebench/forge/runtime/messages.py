"""Rewords the errors of the backend.

The text of a backend error is never passed on: a rule recognises it, and only its numbers and shapes are copied into
our own sentence. If no rule matches, the message is a general sentence about the arguments. So no message can reveal a
name, not even one that a future version of the backend introduces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

# Captures hold digits, signs, commas and brackets only.
RULES: tuple[tuple[str, str], ...] = (
    (r"operands could not be broadcast together with (?:remapped )?shapes ((?:\([\d,]*\) ?)+)",
     "shapes {0} do not match"),
    (r"could not broadcast input .* from shape (\([\d,]*\)) into shape (\([\d,]*\))",
     "a value of shape {0} does not fit into shape {1}"),
    (r"(?:operands could not be broadcast|shape mismatch|cannot broadcast)", "shapes do not match"),
    (r"shapes (\([\d,]*\)) and (\([\d,]*\)) not aligned", "shapes {0} and {1} do not match"),
    (r".*Input operand (\d+) has a mismatch in its core dimension \d+.*size (\d+) is different from (\d+)",
     "argument {0} has length {1} along a dimension where {2} is needed"),
    (r".*Input operand (\d+) does not have enough dimensions", "argument {0} has too few dimensions"),
    (r".*?(-?\d+) is out of bounds for array of dimension (\d+)",
     "axis {0} does not exist: the array has {1} dimension(s)"),
    (r"axes don't match array", "the axes do not fit the number of dimensions"),
    (r"repeated axis|duplicate value in", "an axis is named twice"),
    (r"cannot select an axis to squeeze out", "only an axis of length 1 can be removed"),
    (r"index (-?\d+) is out of bounds for (?:axis \d+ with )?size (\d+)",
     "index {0} does not exist: there are {1} elements"),
    (r"(?:index|indices) .*out of bounds", "an index does not exist"),
    (r"too many indices for .* is (\d+)-dimensional, but (\d+) were indexed",
     "{1} indices for an array of {0} dimension(s)"),
    (r"boolean index did not match .* along \w+ (\d+); size of \w+ is (\d+) but size of .* is (\d+)",
     "the mask has length {2} along axis {0}, where {1} is needed"),
    (r"only integers, slices|arrays used as indices|only integer scalar|slice indices must be|.*as an integer",
     "an index must be an integer, a slice, a mask or an array of integers"),
    (r"cannot reshape \w+ of size (\d+) into shape (\([\d,\-]*\))", "{0} elements do not fit into shape {1}"),
    (r"cannot reshape|can only specify one unknown dimension", "the elements do not fit into this shape"),
    (r"setting an \w+ element with a sequence", "the nested lists are not of equal length"),
    (r"all the input .* along dimension (\d+), .* has size (\d+) and .* has size (\d+)",
     "lengths {1} and {2} along axis {0} must be equal"),
    (r"all the input arrays must have same number of dim", "the arrays must have the same number of dimensions"),
    (r"all input arrays must have the same shape", "the arrays must have the same shape"),
    (r"need at least one|must have at least one", "at least one array is needed"),
    (r"zero-dimensional arrays cannot be", "single numbers cannot be joined"),
    (r".*does not result in an equal division", "the length cannot be divided into equal parts"),
    (r"Singular matrix", "the matrix is singular"),
    (r"Matrix is not positive definite", "the matrix is not positive definite"),
    (r".*must be square", "the matrix must be square"),
    (r"(\d+)-dimensional \w+ given", "a matrix is needed, not an array of {0} dimension(s)"),
    (r".*did not [cC]onverge", "the computation did not converge"),
    (r"attempt to get .* of an empty sequence|zero-size \w+ to reduction", "the array is empty"),
    (r"Integers to negative integer powers", "integers cannot be raised to negative integer powers"),
    (r"either both or neither of x and y", "either both or neither of the two choices must be given"),
    (r".*must not contain infs or NaNs", "the values must not hold nan or infinity"),
    (r"a power is too large", "a power of the values is too large"),
    (r"(?:Percentiles|Quantiles) must be in the range", "a value is outside the allowed range"),
    (r"negative dimensions are not allowed", "a length cannot be negative"),
    (r"Unable to allocate|.*is too big|Maximum allowed", "the result would be too large"),
    (r".*is read-only", "this array cannot be changed"),
    (r"could not convert string|invalid literal for", "the text is not a number"),
    (r"Cannot cast|.*same_kind", "the result does not fit the element kind of the array that would hold it"),
    (r"[cC]annot convert (?:non-finite|float NaN|float infinity)",
     "a value that is not finite cannot become an integer"),
    (r"Python integer -?\d+ out of bounds|Python int too large", "an integer is too large for the element kind"),
    (r"divi(?:de|sion) by zero", "division by zero"),
)  # fmt: skip

_COMPILED = [(re.compile(pattern, re.DOTALL), sentence) for pattern, sentence in RULES]


def cleaned(error: BaseException, where: str, given: Sequence[str]) -> BaseException:
    """Return a new exception of the same builtin class, with our own text. `given` describes the arguments."""
    builtin: Any = next(c for c in type(error).__mro__ if c.__module__ == "builtins")
    if issubclass(builtin, Warning) or builtin in (Exception, BaseException):
        builtin = RuntimeError  # the host turns warnings into errors
    if issubclass(builtin, UnicodeError):
        builtin = ValueError  # the subclasses take five arguments
    text = str(error)
    for pattern, sentence in _COMPILED:
        found = pattern.match(text)
        if found:
            return _raised(builtin, f"{where}: {sentence.format(*(g.strip() for g in found.groups('')))}")
    return _raised(builtin, f"{where} does not work with these arguments: {', '.join(given) or 'none'}")


def _raised(builtin: Any, message: str) -> BaseException:
    made: BaseException = builtin(message)
    return made
