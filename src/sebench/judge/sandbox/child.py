"""What happens in the child: run the program on every case, and send back typed values.

Usually there is one program. Several are plain ones (`policy.plain`), which leave no trace behind for the next; the first that ends in any
but an ordinary way ends the process, and the judge asks again alone.

The child knows no expected value. What it sends is data, and the judge treats it as hostile. Containers and numbers are read with the
methods of their base types, so that a subclass with clever methods is just the value it holds.
"""

from __future__ import annotations

import gc
import io
import json
import marshal
import os
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NoReturn

from sebench.judge.rules import ANSWER_FILE, ANSWER_MODULE
from sebench.judge.sandbox.guard import Guard
from sebench.judge.sandbox.poison import Observer, unmoved
from sebench.judge.sandbox.wire import BEGUN, MOST_STDOUT, Job

MOST_NODES = 200_000
MOST_DEPTH = 50
# What these say depends on what ran before, so programs that shared a process are asked again alone.
NOT_SHARED = ("MemoryError", "RecursionError")
# Characters of a value that the counterfactual sends; larger ones are asked for in a process of their own.
MOST_CHANGED = 1 << 16
TYPE_NAME = type.__dict__["__qualname__"]
REHEARSALS = 20  # the interpreter specializes code that has run a few times


class TooLarge(Exception):
    """The returned value has more parts than may be sent."""


class Output(io.TextIOBase):
    """Standard output that keeps the beginning and forgets the rest."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.parts: list[str] = []
        self.left = MOST_STDOUT

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError("only text can be written")
        if self.left > 0:
            kept = str.__getitem__(text, slice(self.left))  # of a subclass too, without asking it
            self.parts.append(kept)
            self.left -= len(kept)
        return str.__len__(text)

    def writable(self) -> bool:
        return True


class Stage:
    """What every run needs, made once in the zygote: a child gets its own copy with the fork, and touches as little as it can."""

    def __init__(self, guard: Guard, observer: Observer) -> None:
        self.guard, self.observer = guard, observer
        self.output = sys.stdout = sys.stderr = Output()
        guard.copies["sys"].stdout = guard.copies["sys"].stderr = self.output  # type: ignore[attr-defined]
        self.namespace = _namespace(guard)
        self.ballast: list[bytes] = []
        package = observer.library.__name__
        found = [
            vars(m)
            for m in sys.modules.values()
            if isinstance(m, ModuleType) and m.__name__.partition(".")[0] == package
        ]
        self.modules = [(names, dict(names)) for names in found]
        guard.watch()

    def rehearse(self, jobs: list[dict[str, Any]]) -> None:
        """Go the way of a run in the zygote itself, so that what the interpreter writes on first use is written before the first fork."""
        for content in jobs:
            code = marshal.dumps(compile(content["code"], ANSWER_FILE, "exec"))
            cases = tuple(marshal.dumps(tuple(case)) for case in content["cases"])
            job = Job(code, content["entry"], tuple(content["parameters"]), cases, (), (), 0, 0, ("*",), 0, 0.0)
            for _ in range(REHEARSALS):
                entry = _loaded(job.code, _namespace(self.guard), job.entry)
                results = list(_results(entry, job, self.observer))
                json.dumps(self.reported({"cases": results}))
                _changed(job, self, results)
                self.clear()

    def clear(self) -> None:
        """As if no program had run yet; what is left of one in cycles is memory that the next would miss."""
        gc.collect()
        self.observer.forget()
        self.output.forget()
        self.namespace = _namespace(self.guard)

    def changed(self) -> bool:
        """Whether a program has written into a module of the library, by whatever way."""
        return any(
            len(now) != len(before) or any(now.get(name) is not value for name, value in before.items())
            for now, before in self.modules
        )

    def reported(self, content: dict[str, Any]) -> dict[str, Any]:
        content["called"] = list(self.observer.called)
        content["seen"] = [[digest, sorted(cases)] for digest, cases in self.observer.seen.items()]
        content["stdout"] = "".join(self.output.parts)
        content["cpu_s"] = time.process_time()  # until now: a counterfactual may follow
        return content


def run(jobs: list[Job], stage: Stage, fd: int) -> NoReturn:
    """Run jobs and leave the process."""
    alone = len(jobs) == 1
    leave, dump, write = os._exit, json.dumps, os.write

    def say(content: dict[str, Any]) -> None:
        data = f"{dump(content)}\n".encode()
        while data:
            data = data[write(fd, data) :]

    def refuse(reason: str) -> NoReturn:
        if alone:
            say(stage.reported({"policy": reason}))
        leave(0)

    stage.guard.arm(refuse)
    plain = bool(jobs[0].then_spoiled)
    stage.ballast = [] if plain else _ballast()
    write(fd, BEGUN)
    try:
        for job in jobs:
            content = _outcome(job, stage)
            if not alone and content.get("error", {}).get("type") in NOT_SHARED:
                leave(0)
            if not plain and stage.changed():
                content = {"policy": "a module of the library is changed"}
            say(stage.reported(content))
            if job.then_spoiled:
                whole = len(content.get("cases", ())) == len(job.cases)
                say({"changed": _changed(job, stage, content["cases"]) if whole else None})
            if not alone:
                stage.clear()
    except MemoryError:
        raise
    except BaseException:  # something that the program made keeps us from reporting
        leave(1)
    leave(0)


def _outcome(job: Job, stage: Stage) -> dict[str, Any]:
    """What came of a program."""
    observer = stage.observer
    if job.spoiled:
        observer.spoil(job.spoiled, job.spared, job.kind)
    results: list[Any] = []
    try:
        entry = _loaded(job.code, stage.namespace, job.entry)
        if entry is None:
            return {"no_entry": True}
        for result in _results(entry, job, observer):
            results.append(result)
    except TooLarge as error:
        return {"cases": results, "case": observer.case, "too_large": str(error)}
    except BaseException as error:
        return {"cases": results, "case": observer.case, "error": _described(error)}
    return {"cases": results}


def _ballast() -> list[bytes]:
    """Blocks of many sizes, so many of each as the clock says: no program knows addresses before it runs, so none tells runs apart by them."""
    state, blocks = time.perf_counter_ns(), []
    for size in range(48, 513, 16):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        blocks += [bytes(size - 34 - i % 2) for i in range(state >> 61)]
    return blocks


def _namespace(guard: Guard) -> dict[str, Any]:
    """Globals for a program. `dataclasses` look for its module by name."""
    module = sys.modules[ANSWER_MODULE] = ModuleType(ANSWER_MODULE)
    namespace = module.__dict__
    namespace.update(__builtins__=guard.builtins)
    for name in ("__loader__", "__spec__", "__package__"):
        del namespace[name]
    return namespace


def _loaded(code: bytes, namespace: dict[str, Any], name: str) -> Any:
    """The entry point of a program; None if it has none."""
    exec(marshal.loads(code), namespace)
    entry = namespace.get(name)
    return entry if callable(entry) else None


def _results(entry: Any, job: Job, observer: Observer) -> Iterator[list[Any]]:
    """The number and the value of each case."""
    by_name = _takes(entry, job.parameters)
    for i in range(len(job.cases)):
        observer.case = number = (job.first + i) % len(job.cases)
        arguments = marshal.loads(job.cases[number])
        value = entry(**dict(zip(job.parameters, arguments, strict=True))) if by_name else entry(*arguments)
        yield [number, Encoder(observer.array_type).tree(value)]


def _changed(job: Job, stage: Stage, before: list[Any]) -> list[Any] | None:
    """The counterfactual in the same process: the first case whose value changes when the library lies, or None.

    Only for programs that can keep no state and see no address (`policy.plain`): they cannot tell that this is a second run. An
    error decides nothing here; the judge then asks again in a process of its own.
    """
    observer = stage.observer
    observer.spoil(job.then_spoiled, tuple(unmoved(observer.seen, len(job.cases))), 0)
    observer.seen.clear()
    observer.case = -1
    gc.collect()  # what the first run left in cycles is memory that the second would miss
    try:
        entry = _loaded(job.code, _namespace(stage.guard), job.entry)
        for was, now in zip(before, _results(entry, job, observer), strict=False):
            said = json.dumps(now)
            if json.dumps(was) != said:
                return now if len(said) <= MOST_CHANGED else None
    except BaseException:
        return None
    return None


def _takes(entry: Any, parameters: tuple[str, ...]) -> bool:
    """Whether a function has these parameters by name; where not, they go by position."""
    code = getattr(entry, "__code__", None)
    if code is None:
        return False
    return set(parameters) <= set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _described(error: BaseException) -> dict[str, Any]:
    """An exception as plain text; the line is the last one in the candidate's code. Its class is read without asking it."""
    line, inside, trace = 0, False, BaseException.__dict__["__traceback__"].__get__(error)
    while trace is not None:
        inside = trace.tb_frame.f_code.co_filename != ANSWER_FILE
        line = line if inside else trace.tb_lineno
        trace = trace.tb_next
    kind = type(error)
    module = type.__getattribute__(kind, "__module__")
    module = str.__str__(module) if isinstance(module, str) else ANSWER_MODULE
    name = str.__str__(TYPE_NAME.__get__(kind))
    try:
        message = str.__getitem__(str(error), slice(1000))
    except BaseException:
        message = ""
    return {
        "type": name if module == "builtins" else f"{module}.{name}",
        "message": message,
        "line": line,
        "inside": inside,
    }


class Encoder:
    """Values as tagged JSON (`judge/values.py`), with limits."""

    def __init__(self, array_type: type) -> None:
        self.array_type = array_type
        self.nodes = 0

    def tree(self, value: Any, depth: int = 0) -> Any:
        kind = type(value)
        self.nodes += 1
        if self.nodes > MOST_NODES or depth > MOST_DEPTH:
            raise TooLarge("more than 200,000 parts or 50 levels")
        if value is None or kind is bool or kind is float:
            return value
        if kind is str:
            self.nodes += len(value) // 8
            return value
        if kind is int:
            return value if -(1 << 63) < value < 1 << 63 else ["i", self._hex(value)]
        if kind is self.array_type:
            flat, shape, word = value.__reduce__()[1]
            self.nodes += len(flat)
            return ["a", word, list(shape), [self.tree(v, depth + 1) for v in flat] if word not in PLAIN else flat]
        if isinstance(value, list):
            return ["l", *[self.tree(v, depth + 1) for v in list.__iter__(value)]]
        if isinstance(value, tuple):
            return ["t", *[self.tree(v, depth + 1) for v in tuple.__iter__(value)]]
        if isinstance(value, dict):
            return ["d", *[[self.tree(k, depth + 1), self.tree(v, depth + 1)] for k, v in dict.items(value)]]
        if kind is set or kind is frozenset:
            return ["s", *[self.tree(v, depth + 1) for v in value]]
        if kind is complex:
            return ["c", value.real, value.imag]
        if kind is bytes:
            return ["b", value.hex()]
        for base in (str, float, int, complex):
            if isinstance(value, base):
                return self.tree(_plain(base, value), depth)
        return ["x", str(kind.__name__)[:80]]

    def _hex(self, value: int) -> str:
        if value.bit_length() > 1 << 20:
            raise TooLarge("an integer of more than a million bits")
        return hex(value)


PLAIN = frozenset({"bool", "int", "float"})  # kinds whose elements are JSON as they are


def _plain(base: Any, value: Any) -> Any:
    """The value that an object of a subclass holds, read with the base type's own methods."""
    if base is str:
        return str.__str__(value) if type(str.__str__(value)) is str else "".join(str.__getitem__(value, slice(None)))
    if base is float:
        return float.__float__(value) + 0.0
    if base is int:
        return int.__add__(value, 0)
    return complex.__add__(value, 0)
