"""A child of the library's zygote that reads responses and runs the stateless programs among them, one after the other.

All are read before the first one runs, and an outcome is sent as soon as it is there: if something ends the process, the judge knows
how far it got, and asks again. Then the child waits to be told whose answers were right, and shows on which functions those depend. It
knows no expected value. Builtins and imports are cut down to what stateless programs may name, and an audit hook ends the process at
anything they cannot do: a second line behind `stateless.py`, which is the first.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import json
import marshal
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from sebench.judge.reading import Reading, read
from sebench.judge.rules import ANSWER_FILE, EVENTS
from sebench.judge.sandbox import harness, limits
from sebench.judge.sandbox.trees import Encoder, TooLarge
from sebench.judge.sandbox.wire import Budget, CaseCalls, ProgramOutcome, Vocabulary, ZygoteConfig, receive, send
from sebench.provenance.lies import Traits
from sebench.provenance.observer import TRUTH, Observer, Orders
from sebench.provenance.proof import Decided, ObservedRun, Prover

# What these say depends on what ran before, so programs that shared a process are asked again alone.
CLIFFS = ("MemoryError", "RecursionError")
CLOSED_BUILTINS = frozenset(
    """eval exec compile open input breakpoint help vars globals locals getattr setattr delattr dir id memoryview exit quit
    copyright credits license __loader__ __spec__ __build_class__""".split()
)
READING_CPU_S = 1.0
MOST_DEPTH = 985  # frames of a program, as if it ran by itself
LATE_IMPORTS = (
    "numpy.ma",
    "numpy.linalg",
    "numpy.fft",
)  # what NumPy imports on first use, when nothing can be opened any more
REHEARSALS = 20  # the interpreter specializes code that has run a few times


@dataclass
class Program:
    """One program in this process, with what is known about it so far."""

    reading: Reading
    cases: CaseCalls
    truth: ObservedRun | None = None
    called: tuple[str, ...] = ()


class Stage:
    """What every run needs, made once in the zygote: a child gets its own copy with the fork, and touches as little as it can."""

    def __init__(self, observer: Observer, vocabulary: Vocabulary) -> None:
        self.observer, self.vocabulary = observer, vocabulary
        self.output = harness.Output()
        self.deadline = 0.0  # CPU time at which a lying run ends; 0 for none
        self.builtins = {k: v for k, v in vars(builtins).items() if k not in CLOSED_BUILTINS}
        self.builtins["__import__"] = _importer((vocabulary.package, "math", "typing", "__future__"))

    def rehearse(self, programs: tuple[tuple[str, tuple[Any, ...]], ...]) -> None:
        """Go the way of a run in the zygote itself, so that what the interpreter writes on first use is written before the first fork."""
        for source, arguments in programs:
            for _ in range(REHEARSALS):
                cases = CaseCalls("answer", ("a",), tuple(marshal.dumps((a,)) for a in arguments))
                program = Program(read(f"```python\n{source}\n```", "answer", self.vocabulary), cases)
                json.dumps(self.run(program).to_json())
                self.prove(program, Budget(1, 1, 1), [(program.called, False)], frozenset())
                self.clear()

    def clear(self) -> None:
        """As if no program had run yet; what is left of one in cycles is memory that the next would miss."""
        gc.collect()
        self.observer.begin()
        self.output.forget()

    def run(self, program: Program) -> ProgramOutcome:
        """A truthful run."""
        start = time.process_time()
        outcome, seen = self._run(program, TRUTH, 0, None)
        program.called = tuple(self.observer.called)
        program.truth = ObservedRun(
            outcome.values, seen=seen, results=self.observer.results, cpu_s=time.process_time() - start
        )
        return outcome

    def prove(self, program: Program, budget: Budget, groups: Any, construction: frozenset[str]) -> dict[str, Any]:
        """On which functions the answer depends."""
        truth = program.truth
        assert truth is not None

        def lying(orders: Orders, first: int, decided: Decided) -> ObservedRun:
            start = time.process_time()
            self.deadline = start + budget.lying(truth.cpu_s)
            try:
                outcome, _ = self._run(program, orders, first, decided)
            except limits.OutOfTime:  # between the program's end and ours
                outcome = ProgramOutcome()
            self.deadline = 0.0
            failed = outcome.raised.type if outcome.raised and outcome.raised.type not in CLIFFS else ""
            spent = time.process_time() - start
            return ObservedRun(outcome.values, failed or outcome.too_large, cpu_s=spent, kept=self.observer.kept)

        return vars(
            Prover(lying, truth, self.observer.functions, twice=False).prove(groups, program.called, construction)
        )

    def _run(self, program: Program, orders: Orders, first: int, decided: Decided | None) -> tuple[ProgramOutcome, Any]:
        observer, values = self.observer, []
        observer.begin(orders)
        self.output.forget()
        told: dict[str, Any] = {}
        sys.stdout = sys.stderr = self.output
        sys.setrecursionlimit(_depth() + MOST_DEPTH)  # the same in every run
        try:
            entry = harness.loaded(program.reading.code, harness.namespace(self.builtins), program.cases.entry)
            if entry is None:
                told["missing"] = True
            else:
                call = harness.caller(entry, program.cases.parameters)
                for number in program.cases.order(first):
                    arguments = marshal.loads(program.cases.arguments[number])
                    observer.begin_case(number, arguments)
                    value = call(arguments)
                    values.append((number, Encoder(observer.array_type).tree(value)))
                    if decided is not None and decided(*values[-1]):
                        break
        except TooLarge as error:
            told["too_large"] = str(error)
        except limits.OutOfTime:
            pass
        except BaseException as error:
            told["raised"] = harness.described(error)
        seen, called = observer.seen, tuple(observer.called)
        return ProgramOutcome(tuple(values), observer.case, called=called, stdout=self.output.text(), **told), seen

    def out_of_time(self, *_: Any) -> None:
        """Called by a timer every few milliseconds of CPU time. It raises once: what follows (freeing memory) may take its time."""
        if self.deadline and time.process_time() > self.deadline:
            self.deadline = 0.0
            raise limits.OutOfTime


def stage(config: ZygoteConfig) -> Stage:
    """Import the package of a world, and observe it."""
    sys.path.insert(0, config.folder)
    package = importlib.import_module(config.vocabulary.package)
    for name in LATE_IMPORTS:
        importlib.import_module(name)
    traits = {path: Traits(*fields) for path, fields in config.traits.items()}
    return Stage(Observer(package, getattr(package, config.vocabulary.array), traits), config.vocabulary)


def serve(stage: Stage, read_fd: int, write_fd: int, confine: Callable[[], None]) -> NoReturn:
    """Read and run what the judge sends, show what it asks for, and leave the process."""
    leave, say = os._exit, _sayer(write_fd)
    content = receive(read_fd)
    if content is None:
        leave(0)
    jobs, times, share = marshal.loads(content)
    budget, alone = Budget(*times), len(jobs) == 1
    limits.signal_after(READING_CPU_S if alone else budget.shared)
    programs = [
        Program(read(response, cases[0], stage.vocabulary, share), CaseCalls(*cases)) for response, *cases in jobs
    ]
    say([program.reading.to_json() for program in programs])
    ready = [program for program in programs if program.reading.stateless]
    if not ready:
        leave(0)
    if alone:
        limits.stop_after(budget.program + 0.9)  # a call that Python cannot interrupt
    gc.collect()
    gc.freeze()  # what reading left; the collections between programs need not look at it
    confine()
    _tripwire(lambda: leave(0))
    limits.signal_after(budget.program if alone else budget.shared)
    for program in ready:
        outcome = stage.run(program)
        if not alone and outcome.raised and outcome.raised.type in CLIFFS:
            leave(0)
        say({**outcome.to_json(), "cpu_s": program.truth.cpu_s if program.truth else 0.0})
        stage.clear()
    if alone:
        limits.on_signal(stage.out_of_time)
        limits.signal_after(0.02, 0.02)
    else:
        limits.signal_after(budget.shared)
    questions = marshal.loads(receive(read_fd) or marshal.dumps(()))
    say([stage.prove(ready[number], budget, groups, frozenset(counted)) for number, groups, counted in questions])
    leave(0)


def _depth() -> int:
    """How many frames there are."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth


def _sayer(fd: int) -> Callable[[Any], None]:
    def say(content: Any) -> None:
        send(fd, json.dumps(content).encode())

    return say


def _importer(allowed: tuple[str, ...]) -> Callable[..., Any]:
    def limited(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        root = name.partition(".")[0]
        private = any(part.startswith("_") for part in (*name.split("."), *(fromlist or ()))) and root != "__future__"
        if private or root not in allowed or name not in sys.modules:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return sys.modules[name if fromlist else root]

    return limited


def _tripwire(stop: Callable[[], Any]) -> None:
    """End the process if the code of a program causes what no stateless program can."""
    frame_of = sys._getframe
    busy = False

    def hook(event: str, args: Any) -> None:
        nonlocal busy
        if busy or not event.startswith(EVENTS):
            return
        busy = True
        try:
            caller = frame_of(1).f_code.co_filename
        finally:
            busy = False
        if caller == ANSWER_FILE:
            stop()

    sys.addaudithook(hook)
