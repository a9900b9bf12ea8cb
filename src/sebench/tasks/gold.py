"""The gold (reference) solution of a bank task: which functions it uses, what it returns, and how to run it.

It is our own code and runs in this process. Its results are converted to plain Python data (`to_python`),
which answers are compared with.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import isfinite
from typing import Any

import numpy as np

from sebench.bank.definition import Definition
from sebench.forge.catalog import backend, catalog
from sebench.forge.names.vocabulary import CONSTANTS, KINDS
from sebench.values.rounding import round_portably

Inputs = Mapping[str, Any]
LARGEST_VALUE = 2**53  # in a parameter that must be finite
LARGEST_RESULT = 100_000  # elements


@cache
def functions(source: str) -> tuple[str, ...]:
    """Return the catalog functions that a program uses, in order of first use."""
    return tuple(dict.fromkeys(path for _, path in references(ast.parse(source))))


def references(tree: ast.AST) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield every mention of a NumPy function, with its path in the catalog."""
    known = catalog.by_any_name()
    for node in ast.walk(tree):
        path = numpy_path(node)
        if path and path in known:
            assert isinstance(node, ast.Attribute)
            yield node, known[path].path


def numpy_path(node: ast.AST) -> str | None:
    """Return the path of a NumPy name: "linalg.det" for `np.linalg.det`, "" for `np` itself, None for anything else."""
    if isinstance(node, ast.Name):
        return "" if node.id == "np" else None
    if isinstance(node, ast.Attribute) and (base := numpy_path(node.value)) is not None:
        return f"{base}.{node.attr}" if base else node.attr
    return None


def call(function: Callable[..., Any], inputs: Inputs) -> Any:
    """Return what a solution returns for fresh copies of these inputs, as plain data. A warning counts as an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return to_python(fresh(function, inputs))


def allowed_warnings(definition: Definition) -> np.errstate:
    """Return a context for running gold. It ignores floating-point warnings if the answers may be nan or infinity, or
    if gold uses linear algebra, where LAPACK warns of a division by zero on some processors although the result is
    right."""
    linear = any(path.startswith("linalg.") for path in functions(definition.source))
    return np.errstate(all="ignore" if definition.nonfinite or linear else "warn")


def fresh(function: Callable[..., Any], inputs: Inputs) -> Any:
    """Return what a function returns for copies of these inputs, which it may change."""
    return function(**{name: _copy(value) for name, value in inputs.items()})


def _copy(value: Any) -> Any:
    return [_copy(v) for v in value] if type(value) is list else value


def expected(definition: Definition, inputs: Inputs) -> Any:
    """Return the right answer, in a form that is the same on every machine. Raise BankError if gold fails or returns a
    value that is not allowed."""
    try:
        with allowed_warnings(definition):
            value = call(definition.gold, inputs)
    except Exception as error:
        raise definition.error(f"gold fails on {dict(inputs)!r}: {type(error).__name__}: {error}") from None
    if not definition.nonfinite and not _finite(value):
        raise definition.error(
            f"gold returns nan or infinity on {dict(inputs)!r}; narrow the inputs or set nonfinite=True"
        )
    return round_portably(value)


def to_python(value: Any) -> Any:
    """Convert NumPy values to Python values, for comparison. Anything else is an error."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind not in "biufcU":
            raise TypeError(f"an answer cannot contain {value.dtype} values")
        return value.tolist()
    if type(value) in (bool, int, float, complex, str, type(None)):
        return value
    if isinstance(value, list):
        return [to_python(v) for v in value]
    if isinstance(value, tuple):
        return tuple(to_python(v) for v in value)
    if type(value) is dict:
        return {to_python(k): to_python(v) for k, v in value.items()}
    if type(value) is set:
        return {to_python(v) for v in value}
    raise TypeError(f"an answer cannot be a {type(value).__name__}")


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, complex):
        return isfinite(value.real) and isfinite(value.imag)
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list | tuple | set):
        return all(map(_finite, value))
    return True


def with_functions(source: str, entry: str, instead: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Compile the program against a NumPy in which these functions replace the ones at the given paths."""
    return bind(compile_source(source), entry, instead)


def bind(code: Any, entry: str, instead: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Return the entry point of compiled code, with a NumPy that has these functions at the given paths."""
    space: dict[str, Any] = {}
    exec(code, space)
    space["np"] = _PatchedNumpy(instead)
    function: Callable[..., Any] = space[entry]
    return function


# Functions for which one argument sets the size of the result, and the position of that argument.
SIZED = {
    "tile": 1, "repeat": 1, "resize": 1, "broadcast_to": 1, "pad": 1, "zeros": 0, "ones": 0, "full": 0, "identity": 0,
    "eye": 0, "tri": 0, "indices": 0, "vander": 1, "linspace": 2, "logspace": 2, "geomspace": 2, "bartlett": 0,
    "blackman": 0, "hamming": 0, "hanning": 0, "kaiser": 0, "left_shift": 1, "tril_indices": 0, "triu_indices": 0,
    "diag_indices": 0, "array_split": 1, "split": 1, "diff": 1, "ldexp": 1,
}  # fmt: skip


@cache
def guard(path: str) -> Callable[..., Any]:
    """Return a NumPy function that refuses arguments that could harm this process, since mutants may call it with
    anything."""
    function: Callable[..., Any] = backend.get(path)
    finite, sized = catalog.by_any_name()[path].finite, SIZED.get(path)
    if not finite and sized is None and path != "bincount":
        return function

    def guarded_call(*args: Any, **options: Any) -> Any:
        if path == "bincount" and args and np.size(args[0]) and np.max(args[0]) > LARGEST_RESULT:
            raise ValueError("the result would be too large")  # with the largest integer, NumPy writes out of bounds
        for arg in args if finite else ():
            values = np.abs(np.asarray(arg))
            if values.dtype.kind in "iufc" and not np.all(values <= LARGEST_VALUE):
                raise ValueError("nan, infinity or a very large number")
        if sized is not None and len(args) > sized:
            lengths = np.asarray(args[sized])
            if lengths.dtype.kind in "iuf" and not np.prod(np.abs(lengths).astype(float)) <= LARGEST_RESULT:
                raise ValueError("the result would be too large")
        return function(*args, **options)

    return guarded_call


@cache
def compile_source(source: str) -> Any:
    return compile(source, "<gold>", "exec")


class _PatchedNumpy:
    """NumPy with some functions replaced."""

    def __init__(self, instead: Mapping[str, Callable[..., Any]], module: str = "") -> None:
        self._instead = instead
        self._module = module

    def __getattr__(self, name: str) -> Any:
        path = f"{self._module}.{name}" if self._module else name
        value: Any = self._instead.get(path)
        if value is None:
            known = catalog.by_any_name().get(path)
            value = self._instead.get(known.path) if known else None
        if value is None:
            is_module = isinstance(getattr(backend.get(path), "__path__", None), list)
            known_function = path in catalog.by_any_name()
            value = (
                _PatchedNumpy(self._instead, path)
                if is_module
                else guard(path)
                if known_function
                else backend.get(path)
            )
        setattr(self, name, value)
        return value


def is_value(path: str) -> bool:
    """Whether a path below NumPy is a constant or an element kind (dtype), not a function."""
    return path in CONSTANTS or path in KINDS
