"""The candidate's side of the wall: a process that has never contained NumPy, the forged package or a falsified value
(a "lie"), and cannot tell which run it is in.

The candidate's zygote contains the standard library and nothing else: none of the world's names, and no program. For a
verdict it forks the *template* of a program; for every run the template forks a candidate. All candidates of a verdict
start from the same state of the same process, so they see the same addresses, hashes and clocks, and differ only in
what the library answers. A candidate cannot open files, start processes or threads, or talk to anything but the library
process.
"""

from __future__ import annotations

import contextlib
import importlib
import marshal
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

from sebench.judge.program.rules import ANSWER_FILE, ANSWER_MODULE
from sebench.judge.sandbox import client, determinism, harness
from sebench.judge.sandbox.codec import ARGUMENTS, ARRAY, HEAD, MARSHAL_VERSION, NUMBER, MessageTooLarge, Ref

LINE_FD = 3  # where a candidate talks to the library process
REHEARSALS = 20

# Modules that most answers use: the zygote imports them. The others are imported by the template of a program that
# names them.
READY = """abc bisect collections collections.abc contextlib copy dataclasses enum functools heapq io
    itertools json logging math numbers operator os os.path random re string struct sys textwrap time
    traceback types typing warnings weakref linecache tokenize encodings.ascii encodings.latin_1""".split()
# Modules that give access to more than Python, or have side effects when imported.
CLOSED = frozenset(
    "ctypes _ctypes antigravity this idlelib tkinter turtle turtledemo test lib2to3 ensurepip venv".split()
)


@dataclass(frozen=True)
class CandidateProgram:
    """A program, and the library names that it may use: those that occur in it."""

    code: bytes  # marshalled
    imports: tuple[str, ...]
    entry: str
    parameters: tuple[str, ...]
    package: str
    array: str
    functions: tuple[str, ...]
    modules: tuple[str, ...]
    types: dict[str, tuple[str, ...]]  # with the fields of named results; () for the array type

    def to_bytes(self) -> bytes:
        return marshal.dumps(asdict(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> CandidateProgram:
        return cls(**marshal.loads(data))


def prepare() -> None:
    """Prepare this process to be a zygote: import what most programs use, and rehearse runs with scripted replies.

    The interpreter specializes code that has run a few times; if this happens here, candidates share that memory.
    """
    for name in READY:
        importlib.import_module(name)
    array = Ref("h", 1, "float", (2,), [4.0, 5.0])
    arguments = ([1.0, 2.0], 3)
    answers = [arguments, *[1.5, arguments, array, array, arguments] * REHEARSALS]
    replies = iter([_reply(answer) for answer in answers])
    source = """import library
def answer(a, n):
    x = library.f(a, axis=0)
    return x if isinstance(x, float) else [v for v in x + 1.0]
"""
    code = marshal.dumps(compile(source, ANSWER_FILE, "exec"))
    run = CandidateRun(CandidateProgram(code, (), "answer", ("a", "n"), "library", "Array", ("f",), (), {}))
    streams = sys.stdin, sys.stdout, sys.stderr
    run.line.send, run.line.receive = (lambda fd, content: None), (lambda fd: next(replies))
    with contextlib.suppress(StopIteration):
        run._answer()
    sys.stdin, sys.stdout, sys.stderr = streams
    run.forget()


def _reply(answer: Any) -> bytes:
    """Return the message that the library process would send."""
    if isinstance(answer, Ref):
        written, content = ARRAY, (answer.number, answer.text, answer.shape, answer.elements)
    else:
        written, content = NUMBER if isinstance(answer, float) else ARGUMENTS, answer
    return HEAD.pack(0, written) + marshal.dumps(content, MARSHAL_VERSION)


def import_for(job: CandidateProgram) -> None:
    """Import what a program imports, and also the modules that functions in these modules would import later, when
    files can no longer be opened."""
    before = set(sys.modules)
    _import(job.imports)
    for name in [name for name in sys.modules if name not in before]:
        _import(sorted(_mentioned_modules(sys.modules[name])))
    if "asyncio" in sys.modules:
        determinism.make_asyncio_deterministic()


def _import(names: Iterable[str]) -> None:
    for name in names:
        if name.partition(".")[0] not in CLOSED:
            with contextlib.suppress(Exception):  # not a module, or not on this system: the program gets the error
                pkgutil.resolve_name(name)  # also what a module loads only when it is asked for


def _mentioned_modules(module: Any) -> set[str]:
    """Return the standard modules that the functions of a module mention."""
    names: set[str] = set()
    waiting: list[Any] = list(vars(module).values()) if isinstance(module, ModuleType) else []
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, FunctionType) and one.__module__ == module.__name__:
            waiting.append(one.__code__)
        elif isinstance(one, classmethod | staticmethod):
            waiting.append(one.__func__)
        elif isinstance(one, CodeType):
            names.update(one.co_names)
            waiting += one.co_consts
        elif isinstance(one, type) and one.__module__ == module.__name__:
            waiting += vars(one).values()
    return names & sys.stdlib_module_names


class CandidateRun:
    """Runs a program. Everything that does not depend on the run is prepared in the template, before the candidate is
    forked."""

    def __init__(self, job: CandidateProgram) -> None:
        self.job, self.code = job, marshal.loads(job.code)
        self.output = harness.Output()
        self.line = client.Connection(LINE_FD, job.array, job.package)
        sys.modules.update(client.make_modules(self.line, job.functions, job.modules, job.types))
        self.names = harness.make_namespace(sys.modules["builtins"])

    def forget(self) -> None:
        """Remove every trace of the program."""
        mine = (self.job.package, ANSWER_MODULE)
        for name in [name for name in sys.modules if name.partition(".")[0] in mine]:
            del sys.modules[name]

    def __call__(self) -> NoReturn:
        leave = os._exit
        try:
            self._answer()
        finally:
            leave(0)

    def _answer(self) -> None:
        job, line, output = self.job, self.line, self.output
        harness.use_streams(output)
        try:
            entry = harness.load_entry(self.code, self.names, job.entry)
            if entry is None:
                line.ask("missing", output.text())
            call = harness.make_caller(entry, job.parameters)
            arguments = line.ask("begin")
            while arguments is not None:
                arguments = self._answer_case(call, arguments)
            line.ask("done", output.text())
        except BaseException as error:
            self._report_error(error)

    def _answer_case(self, call: Callable[[Any], Any], arguments: Any) -> Any:
        """Answer a case. Return the arguments of the next case, or None after the last."""
        try:
            value = call(arguments)
        except BaseException as error:
            return self._report_error(error)
        try:
            return self.line.answer(value)
        except MessageTooLarge as error:
            return self.line.ask("too_large", self.output.text(), str(error))

    def _report_error(self, error: BaseException) -> Any:
        description = harness.describe_error(error)
        return self.line.ask(
            "failed", self.output.text(), description.type, description.message, description.line, description.inside
        )
