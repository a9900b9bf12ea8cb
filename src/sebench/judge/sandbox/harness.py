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
VARIABLE_POSITIONS, VARIABLE_KEYWORDS = 0x04, 0x08  # the flags of functions with *arguments and **options
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

    # What programs expect of a stream that belongs to a terminal.

    encoding, errors = "utf-8", "strict"

    def reconfigure(self, **_: Any) -> None:
        """Change nothing: what is written is text in any case."""

    @property
    def buffer(self) -> OutputBytes:
        return OutputBytes(self)


class OutputBytes(io.BufferedIOBase):
    """The binary side of an `Output`."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def write(self, data: Any) -> int:
        content = memoryview(data).tobytes()
        self.output.write(content.decode("utf-8", "replace"))
        return len(content)

    def writable(self) -> bool:
        return True


def use_streams(output: Output) -> None:
    """Connect a program's standard streams: what it writes is kept, and there is nothing to read."""
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(), "utf-8"), output, output


def make_namespace(builtins: Any) -> dict[str, Any]:
    """Create the globals of a program, in a module that `dataclasses` can find by name."""
    module = sys.modules[ANSWER_MODULE] = ModuleType(ANSWER_MODULE)
    names = module.__dict__
    names["__builtins__"], names["__file__"] = builtins, ANSWER_FILE
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
    if _accepts(entry, parameters, MOST_WRAPPERS):
        return lambda arguments: entry(**dict(zip(parameters, arguments, strict=True)))
    return lambda arguments: entry(*arguments)


def _accepts(function: Any, parameters: tuple[str, ...], layers: int) -> bool:
    """Whether a function has these parameters by name, or takes them with `**`. If it takes any arguments, or if it
    is a callable of the standard library such as a cache, the function that it wraps decides."""
    below = getattr(function, "__wrapped__", None) if layers else None
    code, first = getattr(function, "__code__", None), getattr(function, "__self__", None) is not None
    is_instance = code is None  # perhaps of a class of the program
    if is_instance:
        function, first = type(function).__call__, True
        code = getattr(function, "__code__", None)
    if code is None:
        return callable(below) and _accepts(below, parameters, layers - 1)
    count = code.co_argcount
    named = set(code.co_varnames[code.co_posonlyargcount : count + code.co_kwonlyargcount])
    if named.issuperset(parameters):
        return True
    required = {*code.co_varnames[first : count - len(getattr(function, "__defaults__", None) or ())]} | (
        {*code.co_varnames[count : count + code.co_kwonlyargcount]}
        - {*(getattr(function, "__kwdefaults__", None) or ())}
    )
    takes_any = bool(code.co_flags & VARIABLE_KEYWORDS) and not code.co_posonlyargcount
    if not takes_any or not required.issubset(parameters) or hasattr(function, "dispatch"):  # by the first position
        return False
    if code.co_flags & VARIABLE_POSITIONS and (is_instance or callable(below)):
        return callable(below) and _accepts(below, parameters, layers - 1)
    return True


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
