"""A child of the library's zygote that reads responses and runs the stateless programs among them, one after the other.

All responses are read and compiled before the first program runs, and every outcome is sent immediately: if the process
ends, the judge knows how far it got and retries the rest. Programs with right answers run again, from the same compiled
code, in another child in which functions are falsified (return deliberately wrong values, called "lies" in the code);
the judge compares the results. No child knows an expected value. Builtins and imports are reduced to what stateless
programs may name, and an audit hook ends the process if a program gets around these limits, as a second line of defence
behind `stateless.py`.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType, FunctionType
from typing import Any, NoReturn

from sebench.judge.program.reading import read
from sebench.judge.program.rules import ANSWER_FILE, EVENTS, IMPORTS
from sebench.judge.program.vocabulary import Vocabulary
from sebench.judge.sandbox import guards, harness, limits, order
from sebench.judge.sandbox.guards import NeedsWall
from sebench.judge.sandbox.trees import Encoder, ValueTooLarge
from sebench.judge.sandbox.wire import (
    BELONGS_BEHIND_WALL,
    PROGRAMS,
    PROOFS,
    REFERENCES,
    Budget,
    CaseCalls,
    FollowRun,
    ProgramOutcome,
    Raised,
    ZygoteConfig,
    receive,
    receive_or_exit,
    send_json,
)
from sebench.provenance.evidence import EvidenceTally, MovedCase
from sebench.provenance.lies import Traits
from sebench.provenance.moves import FIRST, Move
from sebench.provenance.observer import TRUTH, FollowedLie, Observer, Orders, TooManyFailures
from sebench.provenance.proof import Decided, ObservedRun, Prover

CLOSED_BUILTINS = frozenset(
    """eval exec compile open input breakpoint help vars globals locals getattr setattr delattr dir id
    memoryview exit quit copyright credits license __loader__ __spec__ __build_class__""".split()
)
READING_CPU_S = 1.0
MOST_DEPTH = 985  # frames for a program, as if it ran by itself
# modules that NumPy imports on first use, when files can no longer be opened
LATE_IMPORTS = (
    "numpy.ma",
    "numpy.linalg",
    "numpy.fft",
    *IMPORTS,
)
REHEARSALS = 20  # the interpreter specializes code that has run a few times


@dataclass
class Program:
    """A program in this process, with the results of its truthful run."""

    code: CodeType | None
    guarded: bool  # a run may discover that the program belongs behind the wall
    holds_data: bool  # its module contains data that a case could change
    cases: CaseCalls
    trusted: bool = False  # it is a reference, which may use all builtins
    truth: ObservedRun | None = None
    called: tuple[str, ...] = ()

    @classmethod
    def unpack(cls, packed: bytes, cases: CaseCalls) -> Program:
        code, guarded, holds_data = marshal.loads(packed)
        return cls(code, guarded, holds_data, cases)


class LibraryRunner:
    """Runs programs in the same process as the library. Created once in the zygote; each child gets a copy by fork and
    writes to as few memory pages as possible."""

    def __init__(self, observer: Observer, vocabulary: Vocabulary) -> None:
        self.observer, self.vocabulary = observer, vocabulary
        self.output = harness.Output()
        self.deadline = self.run_deadline = (
            0.0  # CPU times at which all runs end, and at which the current one ends; 0 for none
        )
        self.lying_s = 0.0  # CPU time of one run
        importer = _make_importer((vocabulary.package, "math", "__future__", *IMPORTS))
        self.builtins = guards.guarded_builtins(observer.library, observer.array_type, importer)
        self.reference_builtins = {k: v for k, v in vars(builtins).items() if k not in CLOSED_BUILTINS}
        self.reference_builtins["__import__"] = importer

    def rehearse(self, programs: tuple[tuple[str, tuple[Any, ...]], ...]) -> None:
        """Run programs in the zygote itself, so that the memory that the interpreter writes on first use is written
        before the first fork."""
        gc.collect()
        gc.freeze()  # NumPy and the library; otherwise the collections in `clear` take 80 % of the start of a zygote
        for source, arguments in programs:
            for _ in range(REHEARSALS):
                cases = CaseCalls("answer", ("a",), tuple(marshal.dumps((a,)) for a in arguments))
                reading = read(f"```python\n{source}\n```", "answer", self.vocabulary)
                program = Program.unpack(marshal.dumps(reading.program), cases)
                json.dumps(self.run(program).to_json())
                for variant in FIRST:
                    self.follow(program, FollowRun(program.called[0], variant, 0, {}, (0, 1)))
                self.clear()

    def clear(self) -> None:
        """Reset to the state before any program ran; uncollected reference cycles would leave less memory for the next
        program."""
        gc.collect()
        self.observer.begin()
        self.output.forget()

    def run(self, program: Program) -> ProgramOutcome:
        """Run a program with the truthful library."""
        start = time.process_time()
        outcome, seen = self._run(program, TRUTH, 0, None)
        program.called = tuple(self.observer.called)
        program.truth = ObservedRun(
            outcome.values, seen=seen, results=self.observer.results, cpu_s=time.process_time() - start
        )
        return outcome

    def follow(self, program: Program, run: FollowRun) -> list[tuple[int, Any, bool]] | None:
        """Run a program on these cases with one function falsified in some of its calls. Return, for each case, its
        number, the answer, and whether the function was falsified; failed cases are left out. Return None if the CPU
        time ran out."""
        following = FollowedLie(run.liar, Move(run.variant, run.key), run.argument_marks, alternative=run.alternative)
        answers = list(self._answers(program, following, run.cases))
        return None if self.out_of_cpu_time else answers

    def run_reference(
        self,
        program: Program,
        function: str,
        alternative: bool,
        gold: Program | None,
        key: int,
        variants: Sequence[str],
    ) -> list[Any]:
        """Run a reference with a falsified function, in as many cases as are needed. Return for each case its number,
        the right answer, the marks (hashes) of the function's arguments, and the answers by variant. `alternative` says
        that the function does the work of a core function; if gold calls it too, each answer is followed by gold's."""
        gold_call = self._begin_run(gold, TRUTH) if gold is not None else None
        call = self._begin_run(program, TRUTH)
        assert call is not None
        rows: list[Any] = []
        tally = EvidenceTally(variants)
        for number, packed in enumerate(program.cases.arguments):
            answered = self._answer(call, packed, number, FollowedLie(function, None, alternative=alternative))
            if answered is None:
                break
            truth, marks = answered, sorted(self.observer.noted)
            moved = []
            for variant in tally.open_variants():
                following = FollowedLie(function, Move(variant, key), {number: marks}, alternative=alternative)
                tree = self._answer(call, packed, number, following)
                lied = self.observer.lies > 0
                if (
                    tree is not None
                    and lied
                    and not self._can_be_imitated(call, packed, number, following, truth, tree)
                ):
                    of_gold = gold_call and self._answer(gold_call, packed, number, following)
                    moved.append((variant, tree, of_gold))
                    tally.add(variant, truth, tree, of_gold)
            rows.append((number, truth, marks, moved))
            if not tally.open_variants():
                break
        return rows

    def _can_be_imitated(
        self, call: Callable[[Any], Any], packed: bytes, number: int, following: FollowedLie, truth: Any, tree: Any
    ) -> bool:
        """Whether falsifying a function by changing its arguments changes the answer in the same way as replacing
        numbers in its right result would. If so, the change does not show how the result was computed: passing other
        numbers through a function that selects elements has the same effect."""
        assert following.move is not None
        if not following.move.of_arguments or tree == truth:
            return False
        other = self._answer(call, packed, number, replace(following, by_result=True))
        return other is not None and MovedCase.of(tree, other).moved is False

    def _answer(self, call: Callable[[Any], Any], packed: bytes, number: int, following: FollowedLie) -> Any:
        """Return the answer to a case while a function is falsified; None if the case fails."""
        self.observer.begin(Orders(frozenset({following.liar}), following=following))
        arguments = marshal.loads(packed)
        self.observer.begin_case(number, arguments)
        try:
            return Encoder(self.observer.array_type).tree(call(arguments))
        except Exception:
            return None

    def _answers(
        self, program: Program, following: FollowedLie, numbers: Iterable[int]
    ) -> Iterator[tuple[int, Any, bool]]:
        """Yield the answers to these cases. Failed cases are skipped; running out of time ends the sequence."""
        observer = self.observer
        try:
            call = self._begin_run(program, Orders(frozenset({following.liar}), following=following))
        except NeedsWall:
            raise
        except BaseException:
            return
        if call is None:
            return
        for number in numbers:
            try:
                arguments = marshal.loads(program.cases.arguments[number])
                observer.begin_case(number, arguments)
                tree = Encoder(observer.array_type).tree(call(arguments))
            except limits.OutOfTime:
                return
            except BaseException as error:
                _check_wall(program, error)
                continue
            yield number, tree, number in observer.lied_in

    def _begin_run(self, program: Program, orders: Orders) -> Callable[[tuple[Any, ...]], Any] | None:
        """Start a run. Return a function that calls the program's entry point, or None if it has none. Raises OutOfTime
        if there is no time left."""
        if self.out_of_cpu_time:
            raise limits.OutOfTime
        if self.deadline:
            self.run_deadline = min(self.deadline, time.process_time() + self.lying_s)
        self.observer.begin(orders)
        self.output.forget()
        sys.stdout = sys.stderr = self.output
        sys.setrecursionlimit(_frame_count() + MOST_DEPTH)  # the same in every run
        names = harness.make_namespace(self.reference_builtins if program.trusted else self.builtins)
        entry = harness.load_entry(program.code, names, program.cases.entry)
        if entry is None:
            return None
        call = harness.make_caller(entry, program.cases.parameters)
        if not program.holds_data and (program.trusted or type(entry) is FunctionType):
            return call
        held = guards.ModuleState(names, entry)

        def call_and_check(arguments: tuple[Any, ...]) -> Any:
            result = call(arguments)
            held.check()
            return result

        return call_and_check

    def prove(self, program: Program, groups: Any, construction: frozenset[str]) -> dict[str, Any]:
        """Find the functions that the answer depends on."""
        if program.truth is None:
            self.run(program)
        assert program.truth is not None

        def lying(orders: Orders, first: int, decided: Decided) -> ObservedRun:
            start = time.process_time()
            try:
                outcome, _ = self._run(program, orders, first, decided)
            except limits.OutOfTime:  # between the program's end and ours
                outcome = ProgramOutcome()
            if outcome.needs_wall:
                raise NeedsWall
            spent = time.process_time() - start
            return ObservedRun(
                outcome.values, outcome.failure, cpu_s=spent, truthful_calls=self.observer.truthful_calls
            )

        prover = Prover(lying, program.truth, self.observer.functions, twice=False)
        return vars(prover.prove(groups, program.called, construction))

    def _run(self, program: Program, orders: Orders, first: int, decided: Decided | None) -> tuple[ProgramOutcome, Any]:
        observer, values = self.observer, []
        fields: dict[str, Any] = {}
        try:
            call = self._begin_run(program, orders)
            if call is None:
                fields["missing"] = True
            else:
                for number in program.cases.order(first):
                    packed = program.cases.arguments[number]
                    observer.begin_case(number, marshal.loads(packed))
                    value = call(marshal.loads(packed))
                    values.append((number, Encoder(observer.array_type).tree(value)))
                    if decided is not None and decided(*values[-1]):
                        break
        except ValueTooLarge as error:
            fields["too_large"] = str(error)
        except limits.OutOfTime:
            pass
        except TooManyFailures as error:
            fields["raised"] = Raised(type(error).__name__, str(error), 0, True)
        except BaseException as error:
            cliff = isinstance(error, MemoryError | RecursionError)
            try:
                if not cliff:
                    _check_wall(program, error)
                fields["raised"] = harness.describe_error(error)
            except NeedsWall:
                fields["needs_wall"] = True
        seen, called = observer.seen, tuple(observer.called)
        return ProgramOutcome(tuple(values), observer.case, called=called, stdout=self.output.text(), **fields), seen

    def on_timer(self, *_: Any) -> None:
        """Check the time limits. A timer calls this every few milliseconds of CPU time. Raise OutOfTime only once per
        run, so that clean-up is not interrupted."""
        if self.run_deadline and time.process_time() > self.run_deadline:
            self.run_deadline = 0.0
            raise limits.OutOfTime

    @property
    def out_of_cpu_time(self) -> bool:
        return bool(self.deadline) and time.process_time() > self.deadline


def load_library(config: ZygoteConfig) -> LibraryRunner:
    """Import a world's package, wrap it in an observer, and return a runner for it."""
    sys.path.insert(0, config.folder)
    order.settle()
    package = importlib.import_module(config.vocabulary.package)
    for name in LATE_IMPORTS:
        importlib.import_module(name)
    traits = {path: Traits(*fields) for path, fields in config.traits.items()}
    return LibraryRunner(Observer(package, getattr(package, config.vocabulary.array), traits), config.vocabulary)


def serve(runner: LibraryRunner, line_fd: int, confine: Callable[[], None]) -> NoReturn:
    """Read and run what the judge sends, then exit."""
    leave = os._exit
    jobs, times, share = marshal.loads(receive_or_exit(line_fd))
    budget, alone = Budget(*times), len(jobs) == 1
    limits.signal_after(READING_CPU_S if alone else budget.shared)
    readings = [
        (read(response, cases[0], runner.vocabulary, share, gone), CaseCalls(*cases)) for response, gone, *cases in jobs
    ]
    send_json(line_fd, [reading.to_json() for reading, _ in readings])
    # Marshalled, as everywhere else: a constant set that was marshalled has another order.
    ready = [Program.unpack(marshal.dumps(r.program), cases) for r, cases in readings if r.stateless]
    if not ready:
        leave(0)
    _confine_for_programs(budget.program if alone else budget.shared, alone, lambda: leave(0), confine)
    for program in ready:
        outcome = runner.run(program)
        if outcome.raised and outcome.raised.is_cliff:
            if not alone:
                leave(0)
            if program.guarded:  # the program may have meant to catch that
                outcome = ProgramOutcome(needs_wall=True)
        send_json(line_fd, {**outcome.to_json(), "cpu_s": program.truth.cpu_s if program.truth else 0.0})
        program.truth = None
        runner.clear()
    leave(0)


def serve_proofs(runner: LibraryRunner, line_fd: int, confine: Callable[[], None]) -> NoReturn:
    """Run stateless programs with right answers while functions are falsified, as often as the judge asks, then
    exit."""
    leave = os._exit
    jobs, times = marshal.loads(receive_or_exit(line_fd))
    budget, alone = Budget(*times), len(jobs) == 1
    programs = [Program.unpack(code, CaseCalls(*cases)) for code, *cases in jobs]
    allowed = budget.proofs if alone else budget.shared
    _confine_for_programs(allowed, alone, lambda: leave(0), confine)
    if alone:
        limits.on_signal(runner.on_timer)
        limits.signal_after(0.02, 0.02)
        runner.deadline, runner.lying_s = time.process_time() + allowed, budget.lying
    while (message := receive(line_fd)) and (questions := marshal.loads(message)):
        answers = [_answer_question(runner, programs[number], question) for number, *question in questions]
        send_json(line_fd, answers)
    leave(0)


def _answer_question(runner: LibraryRunner, program: Program, question: Sequence[Any]) -> Any:
    """Answer a question from the judge. Return the answers by case, or the functions that the answer depends on."""
    try:
        if len(question) == 1:
            return runner.follow(program, FollowRun(*question[0]))
        return runner.prove(program, question[0], frozenset(question[1]))
    except limits.OutOfTime:  # between two runs
        return None
    except NeedsWall:
        return BELONGS_BEHIND_WALL
    finally:
        runner.clear()


def _check_wall(program: Program, error: BaseException) -> None:
    """Raise NeedsWall if `error` is one, or an error that the program may have tried to catch, but was not allowed
    to."""
    if isinstance(error, NeedsWall) or (program.guarded and isinstance(error, guards.UNSEEN)):
        raise NeedsWall


def serve_references(runner: LibraryRunner, line_fd: int, confine: Callable[[], None]) -> NoReturn:
    """Run references with one of their functions falsified, for comparison with answers. No candidate's program runs
    here."""
    jobs = marshal.loads(receive_or_exit(line_fd))
    confine()
    for text, function, alternative, gold_text, key, variants, *cases in jobs:
        program = _trusted(text, cases)
        gold = _trusted(gold_text, cases) if gold_text else None
        send_json(line_fd, runner.run_reference(program, function, alternative, gold, key, variants))
        runner.clear()
    os._exit(0)


def _trusted(text: str, cases: Sequence[Any]) -> Program:
    return Program(compile(text, "<reference>", "exec"), False, False, CaseCalls(*cases), trusted=True)


SERVICES: Mapping[bytes, Callable[[LibraryRunner, int, Callable[[], None]], NoReturn]] = {
    PROGRAMS: serve,
    PROOFS: serve_proofs,
    REFERENCES: serve_references,
}


def _confine_for_programs(allowed_s: float, alone: bool, stop: Callable[[], Any], confine: Callable[[], None]) -> None:
    """Confine this process, which will run candidates' programs from here on."""
    if alone:
        limits.stop_after(time.process_time() + allowed_s + 0.9)  # a call that Python cannot interrupt
    gc.collect()
    gc.freeze()  # objects left from reading; collections between programs need not visit them
    confine()
    _install_tripwire(stop)
    limits.signal_after(allowed_s)


def _frame_count() -> int:
    """Return the current stack depth in frames."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth


def _make_importer(allowed: tuple[str, ...]) -> Callable[..., Any]:
    def import_allowed(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        root = name.partition(".")[0]
        private = any(part.startswith("_") for part in (*name.split("."), *(fromlist or ()))) and root != "__future__"
        if private or root not in allowed or name not in sys.modules:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return sys.modules[name if fromlist else root]

    return import_allowed


def _install_tripwire(stop: Callable[[], Any]) -> None:
    """End the process if a program's code triggers an audit event that no stateless program can."""
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
