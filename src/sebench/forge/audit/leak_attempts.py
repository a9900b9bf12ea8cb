"""Attempts by a determined caller to get hold of a backend object through special objects, lists and callbacks.

Each attempt returns what it got hold of, or raises an error; `probe.py` inspects the result or the error. The attempts
were found by attacking earlier versions of the runtime.
"""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any

Functions = Mapping[str, Callable[..., Any]]


def _taker(got: list[Any], reply: Any = 1) -> Callable[..., Any]:
    """Return a special method that appends its arguments to `got`."""

    def take(self: Any, *args: Any, **options: Any) -> Any:
        got.extend([*args, *options.values()])
        return reply

    return take


def clever_text(call: Functions, library: ModuleType) -> Any:
    """Pass a subclass of str that returns itself when it is converted to str."""
    got: list[Any] = []
    hooks = dict.fromkeys(("__array_ufunc__", "__array_function__"), _taker(got))
    text: Any = type("Text", (str,), {"__str__": lambda self: self, **hooks})("a")
    raw: Any = type("Raw", (bytes,), {"__bytes__": lambda self: self, **hooks})(b"a")
    for value in (text, raw):
        attempts: tuple[Callable[[Any], Any], ...] = (lambda v: call["array"]([1.0]) + v, call["mean"], call["sum"])
        for attempt in attempts:
            with suppress(TypeError):
                got.append(attempt(value))
    return got


def mixed_elements(call: Functions, library: ModuleType) -> Any:
    """Nest arrays inside arrays whose elements have mixed types, and read the elements."""
    x = call["array"]([None, None])
    x[0] = call["array"]([5])
    arrays = [call["array"]([call["array"](1), None]), x, call["pad"]([None, 1], 1)]
    return [(m.tolist(), repr(m), str(m), m[0], list(m), m.__reduce__(), pickle.dumps(m)) for m in arrays]


def list_changed_after_the_look(call: Functions, library: ModuleType) -> Any:
    """Pass a list that has ordinary elements when it is checked, but not when it is used."""
    got: list[Any] = []
    hooks = dict.fromkeys(("__array_ufunc__", "__array_function__"), _taker(got))
    Evil = type("Evil", (), {**hooks, "arctan2": property(got.append)})
    for name in ("block", "select", "arctan2", "add"):
        plain: list[Any] = [1, 2]

        def late(plain: list[Any] = plain) -> Iterator[int]:
            plain[0] = Evil()
            yield 1
            yield 2

        with suppress(TypeError, ValueError):
            got.append(call[name]([plain, late()]) if name == "block" else call[name](plain, late()))
    return got


def class_that_raises_its_name(call: Functions, library: ModuleType) -> Any:
    """Run the caller's code while an error message is being built."""

    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise ValueError("mine")

    class Number(metaclass=Meta):
        def __float__(self) -> float:
            return 1.0

    return call["add"](Number(), "a")


def restoring(call: Functions, library: ModuleType) -> Any:
    """Call the unpickling function directly."""
    got: list[Any] = []
    Hooked = type("Hooked", (), {"__array__": _taker(got, [1])})
    restore = call["array"]([1]).__reduce__()[0]
    for arguments in ((Hooked(), (3,), "float"), ([Hooked()], (1,), "float"), ([1, 2], (3,), "int"), ([1], (1,), "x")):
        try:
            got.append(restore(*arguments))
        except (TypeError, ValueError) as error:
            got.append(error.__context__)
    return got


def end_of_the_stack(call: Functions, library: ModuleType) -> Any:
    """Raise an error whose clean-up overflows the stack."""
    got: list[Any] = []

    def dive(left: int) -> None:
        if left:
            dive(left - 1)
            return
        try:
            call["add"]([1.0], "a")
        except (TypeError, RecursionError) as error:
            got.extend([error.__context__, error.__cause__])

    left = sys.getrecursionlimit() - len(inspect.stack(0)) - 1
    for depth in range(left - 40, left - 2, 2):
        with suppress(RecursionError):
            dive(depth)
    return got


def functions_as_data(call: Functions, library: ModuleType) -> Any:
    """Pass functions as data: if they were accepted, they would come back wrapped."""
    got = []
    for name, argument in (("array", len), ("array", [len, None]), ("sum", len)):
        with suppress(TypeError):
            result = call[name](argument)
            got.append(result.tolist() if hasattr(result, "tolist") else result)
    if any(callable(v) or (isinstance(v, list) and any(map(callable, v))) for v in got):
        raise RuntimeError("numpy callback came out")
    return got


def ragged_lists(call: Functions, library: ModuleType) -> Any:
    """Pass nested lists of unequal lengths, which the package itself turns into arrays."""
    return call["split"]([[1], [2, 3]], 2)


def ending_from_a_callback(call: Functions, library: ModuleType) -> Any:
    """Raise exceptions that are not errors (such as KeyboardInterrupt) inside a backend call."""

    class Mine(BaseException):
        pass

    for kind in (Mine, SystemExit, KeyboardInterrupt):

        def fail(row: Any, kind: type[BaseException] = kind) -> Any:
            raise kind()

        try:
            call["apply_along_axis"](fail, 0, [[1.0, 2.0]])
        except BaseException as error:
            files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
            if backend := next((file for file in files if "numpy" in file), None):
                return backend
    return None


def strange_result_of_a_callback(call: Functions, library: ModuleType) -> Any:
    """Pass a callback that does not return data."""
    return call["apply_along_axis"](lambda row: object(), 0, [[1.0, 2.0]])


def loud_generator(call: Functions, library: ModuleType) -> Any:
    """Pass an argument that changes the warning filters while it is read."""

    def loud() -> Iterator[float]:
        warnings.simplefilter("always")
        yield 1.0

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call["sum"](loud())
        call["log"]([-1.0])
        call["mean"]([])
    return [str(w.message) + w.filename for w in seen]


def kinds_in_messages(call: Functions, library: ModuleType) -> Any:
    """Try to make an error message reveal one of the backend's short dtype codes, such as 'f4'."""
    try:
        call["sum"](["a"], None, "float_32")  # by position: the parameter may have any name
    except TypeError as error:
        return f"numpy kind in: {error}" if "'f4'" in str(error) else None
    return None


LEAK_ATTEMPTS: tuple[Callable[[Functions, ModuleType], Any], ...] = (
    clever_text, mixed_elements, list_changed_after_the_look, class_that_raises_its_name, restoring, end_of_the_stack,
    functions_as_data, ragged_lists, ending_from_a_callback, strange_result_of_a_callback, loud_generator,
    kinds_in_messages,
)  # fmt: skip
