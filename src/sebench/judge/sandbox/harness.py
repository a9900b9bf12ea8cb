"""Functions for running a program on either side of the wall: they create its globals, find and call its entry point,
keep its output, and describe its exceptions as text.

They use neither the library nor the judge.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from sebench.judge.program.rules import ANSWER_FILE, ANSWER_MODULE
from sebench.judge.sandbox.wire import MOST_STDOUT, Raised

GUARDS_FILE = __file__.replace("harness", "guards")  # an error raised there counts as raised by the program
MOST_WRAPPERS = 8
VARIABLE_KEYWORDS = 0x08  # the flag of a function with **options
_TYPE_NAME = type.__dict__["__qualname__"]


class Output(io.TextIOBase):
    """Standard output that keeps the beginning and drops the rest."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.parts: list[str] = []
        self.left = MOST_STDOUT

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError("only text can be written")
        if self.left > 0:
            kept = str.__getitem__(text, slice(self.left))  # works for subclasses without calling their methods
            self.parts.append(kept)
            self.left -= len(kept)
        return str.__len__(text)

    def writable(self) -> bool:
        return True

    def text(self) -> str:
        return "".join(self.parts)


def make_namespace(builtins: Any) -> dict[str, Any]:
    """Create the globals of a program, in a module that `dataclasses` can find by name."""
    module = sys.modules[ANSWER_MODULE] = ModuleType(ANSWER_MODULE)
    names = module.__dict__
    names["__builtins__"] = builtins
    for name in ("__loader__", "__spec__", "__package__"):
        del names[name]
    return names


def load_entry(code: Any, names: dict[str, Any], entry: str) -> Any:
    """Run the top level of a program and return its entry point, which may be a method of a class; None if there is no
    entry point."""
    exec(code, names)
    function = names.get(entry)
    if callable(function):
        return function
    for value in reversed(list(names.values())):
        if (
            not isinstance(value, type)
            or value.__module__ != ANSWER_MODULE
            or getattr(value, "__abstractmethods__", None)
        ):
            continue
        if callable(getattr(value, entry, None)):
            return getattr(value(), entry)
    return None


def make_caller(entry: Any, parameters: tuple[str, ...]) -> Callable[[tuple[Any, ...]], Any]:
    """Return a function that calls the entry point: with keyword arguments if it accepts these names, otherwise by
    position."""
    below = entry
    for _ in range(MOST_WRAPPERS):  # look through decorators for the parameter names
        entry_below = getattr(below, "__wrapped__", None)
        if not callable(entry_below):
            break
        below = entry_below
    if _accepts(below, parameters):
        return lambda arguments: entry(**dict(zip(parameters, arguments, strict=True)))
    return lambda arguments: entry(*arguments)


def _accepts(function: Any, parameters: tuple[str, ...]) -> bool:
    """Whether a function has these parameters by name, or takes them with `**`."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    count = code.co_argcount
    named = set(code.co_varnames[code.co_posonlyargcount : count + code.co_kwonlyargcount])
    if named.issuperset(parameters):
        return True
    first = 1 if getattr(function, "__self__", None) is not None else 0
    required = {*code.co_varnames[first : count - len(getattr(function, "__defaults__", None) or ())]} | (
        {*code.co_varnames[count : count + code.co_kwonlyargcount]}
        - {*(getattr(function, "__kwdefaults__", None) or ())}
    )
    takes_any = bool(code.co_flags & VARIABLE_KEYWORDS) and not code.co_posonlyargcount
    return takes_any and required.issubset(parameters)


# Addresses of objects and paths of modules, which differ from process to process.
_OF_THIS_PROCESS = re.compile(r" at 0x[0-9a-f]+| from '[^']*'(?=>)| \((?:unknown location|/[^()]*)\)$")


def describe_error(error: BaseException) -> Raised:
    """Describe an exception as text, without calling methods of its class."""
    line, inside, trace = 0, False, BaseException.__dict__["__traceback__"].__get__(error)
    while trace is not None:
        inside = trace.tb_frame.f_code.co_filename not in (ANSWER_FILE, GUARDS_FILE)
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == ANSWER_FILE else line
        trace = trace.tb_next
    kind = type(error)
    module = type.__getattribute__(kind, "__module__")
    module = str.__str__(module) if isinstance(module, str) else ANSWER_MODULE
    name = str.__str__(_TYPE_NAME.__get__(kind))
    try:
        message = _OF_THIS_PROCESS.sub("", str.__getitem__(str(error), slice(1000)))
    except BaseException:
        message = ""
    return Raised(name if module == "builtins" else f"{module}.{name}", message, line, inside)
