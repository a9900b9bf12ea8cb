"""One response on its way to a verdict.

A submission provides what its child processes need, records their replies, and compares them with the expected values.
It runs nothing itself (`executor.py` does), and trusts no reply, only the report of how a process ended. A function is
falsified, or "lies", if it returns deliberately wrong values; "gold" is the reference solution of a task.
"""

from __future__ import annotations

import marshal
import signal
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from sebench.base.extract import MAX_CHARACTERS
from sebench.base.records import SHOWN_ACTUAL, TOO_LARGE, Blame, Kind, Prior, Task, Verdict, error_text
from sebench.forge.names.naming import Names
from sebench.judge import credit, taxonomy
from sebench.judge.following import (
    COVERED,
    EXACT,
    FollowAttempt,
    FollowSearch,
    Reference,
    ReferenceLies,
    lie_key,
    read_evidence,
)
from sebench.judge.program.policy import UsedNames
from sebench.judge.program.vocabulary import Vocabulary
from sebench.judge.sandbox.candidate import CandidateProgram
from sebench.judge.sandbox.codec import MARSHAL_VERSION
from sebench.judge.sandbox.wire import (
    BELONGS_BEHIND_WALL,
    OUT_OF_MEMORY,
    Budget,
    CaseCalls,
    ProgramOutcome,
    Status,
)
from sebench.provenance.evidence import PROOF_BITS, Evidence, Moved
from sebench.provenance.moves import AGAIN, FIRST, FURTHER, FURTHER_OF_GOLD
from sebench.provenance.proof import Proof
from sebench.values import tagged
from sebench.values.equality import Profile, difference, show

NOT_FINISHED = Proof(finished=False)
LEAST_KILLED_CPU_S = 0.9  # RLIMIT_CPU counts whole seconds: a process killed with less was not killed by it
OBJECT = 10  # a value takes at most this many times the size of its marshalled form
# The rounds of crediting a right answer: nearly all follow gold in the first, few need more.
FOLLOWS_GOLD, FOLLOWS_ANOTHER, FOLLOWS_FURTHER, DEPENDS_AT_ALL = range(4)


class Submission:
    """One response and the state of its judgement."""

    def __init__(
        self, task: Task, response: str, prepared: PreparedTask, names: Names, profile: str, native: bool = False
    ) -> None:
        self.task, self.response, self.prepared = task, response, prepared
        self.names, self.profile = names, profile
        self.verdict: Verdict | None = prepared.unreadable
        if len(response) > MAX_CHARACTERS:
            self.response = ""
            detail = f"the response has {len(response):,} characters; the limit is {MAX_CHARACTERS:,}"
            self.verdict = self.verdict or Verdict(Kind.NO_CODE, detail=detail)
        self.native = native  # the response is in NumPy and still has to be translated
        self.numpy_passed: bool | None = None
        self.prior = False if task.prior and not native else None
        self.stale = False if (task.stale or task.gone) and not native else None
        self.stateless = False
        self.used_names = UsedNames()
        self.invented: tuple[str, ...] = ()
        self.guesses = 0  # words in the program that look like library functions but do not exist
        self.uses_gone = False  # the program uses a word that only earlier editions had
        self.code = b""  # the compiled program
        self.walled_code = b""  # for a stateless program that may turn out to belong behind the wall
        self.imports: tuple[str, ...] = ()
        self.wall_s = 0.0
        self.abandoned = False  # the verdict is no longer wanted
        self.on_abandon: Callable[[], None] | None = None  # stops its run
        self._right: Verdict | None = None  # the verdict if the answer turns out to depend on the library
        self.search: FollowSearch | None = None  # for lies that the answer follows
        self.round = FOLLOWS_GOLD
        self.followed: list[bool] = []
        self.out_of_time = False  # there was no CPU time left for a run
        self.proofs_cpu_s = 0.0  # CPU time of the runs with a lying library
        self.attempts: list[FollowAttempt] = []  # the current ones
        # by reference and kind of call: whether its function lied, or a case failed
        self.lied: dict[tuple[Reference, str], bool] = {}
        self.question_sent = False  # whether it was asked if the answer depends on the library at all

    def abandon(self) -> None:
        """Give up on a verdict that is no longer wanted. Called from another thread."""
        self.abandoned = True
        if (end := self.on_abandon) is not None:
            end()

    def reset(self) -> None:
        """Discard the results of runs; keep what was read from the response."""
        self.verdict = self._right = self.search = None
        self.round, self.followed, self.out_of_time, self.proofs_cpu_s = FOLLOWS_GOLD, [], False, 0.0

    def go_behind_wall(self) -> None:
        """Start over behind the wall: a stateless program reached a point where it could have learned something about
        its process."""
        self.reset()
        self.stateless, self.code, self.walled_code = False, self.walled_code, b""
        self.lied = {}
        if not self.code:
            self.verdict = Verdict(Kind.CRASH, detail="the program could not be read")

    def record_reading(self, reading: Any) -> None:
        """Record the result of reading the response."""
        try:
            self.used_names = UsedNames(*(tuple(map(str, names)) for names in reading["named"]))
            self.invented = tuple(map(str, reading["invented"]))
            self.guesses, self.uses_gone = int(reading["guesses"]), bool(reading["uses_gone"])
            self.imports = tuple(map(str, reading["imports"]))
            self.stateless, self.code = bool(reading["stateless"]), b64decode(reading["code"])
            self.walled_code = b64decode(reading["walled_code"])
            if reading["kind"] is not None:
                self.verdict = Verdict(Kind(reading["kind"]), detail=str(reading["detail"]))
        except Exception:  # a child may send anything
            self.verdict = Verdict(Kind.CRASH, detail="the program could not be read")

    def record_translation(self, reading: Any, result: Any, ran: bool) -> None:
        """Record the translation of an answer written in NumPy, which is judged like any other answer from here on.
        `ran`: whether the original was run with NumPy; otherwise it is not known whether it is right."""
        try:
            kind, detail, program, reason = (reading[k] for k in ("kind", "detail", "program", "untranslated"))
            if kind is not None:
                self.verdict = Verdict(Kind(kind), detail=str(detail))
                return
        except Exception:  # a child may send anything
            self.verdict = Verdict(Kind.CRASH, detail="the program could not be read")
            return
        self.native = False
        self.response = f"```python\n{program}\n```"
        outcome = None
        with suppress(Exception):  # the program can send anything in place of its outcome
            outcome = ProgramOutcome.from_json(result)
        if ran:
            self.numpy_passed = outcome is not None and self._compare(outcome).passed
        if reason:
            self.verdict = Verdict(Kind.UNTRANSLATED, detail=str(reason), wall_s=self.wall_s)

    @property
    def final_verdict(self) -> Verdict | None:
        """Return the verdict, completed with the result of the run with NumPy, the invented names, and whether a wrong
        answer is stale or shows the prior. In a boundary task, declining is right, and a program that solves the task
        gets the kind `composed`."""
        if self.verdict is None:
            return None
        cpu_s = self.verdict.cpu_s + self.proofs_cpu_s
        verdict = replace(
            self.verdict, numpy_passed=self.numpy_passed, invented=self.invented, prior=self.prior, cpu_s=cpu_s
        )
        if self.stale is not None:
            verdict = replace(verdict, stale=verdict.kind is not Kind.PASSED and (self.stale or self.uses_gone))
        if self.task.boundary and verdict.kind is Kind.DECLINED:
            return replace(verdict, blame=Blame.NONE)
        return replace(verdict, kind=Kind.COMPOSED) if self.task.boundary and verdict.passed else verdict

    def record_outcome(self, reply: Any) -> None:
        """Record the outcome of a truthful run."""
        try:
            outcome = ProgramOutcome.from_json(reply)
        except Exception:
            self.verdict = Verdict(Kind.CRASH, detail="the program's reply could not be decoded")
            return None
        if outcome.needs_wall:
            return self.go_behind_wall()
        verdict = self._compare(outcome)
        if self.prior is not None:
            self.prior = not verdict.passed and self._gives(self.task.prior, outcome)
        if self.stale is not None and self.task.stale:
            self.stale = not verdict.passed and self._gives(self.task.stale, outcome)
        if not verdict.passed:
            self.verdict = verdict
        elif self.profile == Profile.PAPER:  # as published: any call will do, except constructing an array
            made_by = self.names.functions.get("array")
            what = (
                f"its only call is {self.names.package}.{made_by}"
                if verdict.functions
                else "the library was not called"
            )
            self.verdict = verdict if set(verdict.functions) - {made_by} else _not_from_library(verdict, what)
        elif listing := self._listing():
            self.verdict = _not_from_library(verdict, listing)
        elif not set(verdict.functions) - credit.construction(self.task, self.names):
            what = "the library only constructed arrays" if verdict.functions else "no library function was called"
            self.verdict = _not_from_library(verdict, what)
        else:
            self._right = verdict

    def _listing(self) -> str:
        """Say how many names a program lists, if they are so many that hitting the right one shows no knowledge."""
        named, most = len(self.used_names.functions), credit.most_listed(self.task)
        if self.guesses > credit.MOST_GUESSES:
            return f"the program tries {self.guesses:,} words that do not exist; it may try {credit.MOST_GUESSES}"
        if self.task.functions and named > most:  # without functions, it is not known how many are needed
            return f"the program names {named} library functions; an answer to this task may name at most {most}"
        return ""

    @property
    def undecided(self) -> bool:
        """Whether it is not yet known if the answer is right."""
        return self.verdict is None and self._right is None

    @property
    def needs_proof(self) -> bool:
        """Whether the answer is right, but it is not yet known whether it came from the library."""
        return self._right is not None and self.verdict is None

    @property
    def cpu_s(self) -> float:
        """CPU time of the truthful run."""
        return self._right.cpu_s if self._right else 0.0

    def budget(self, budget: Budget, spent: float = 0.0) -> Budget:
        """Return the budget left for the runs of this round, after this much CPU time was spent in it."""
        spent += self.cpu_s + self.proofs_cpu_s
        return budget.after(self.cpu_s, spent, last=self.round == DEPENDS_AT_ALL)

    # ---- credit: round after round, until every function of the core is followed or nothing is left to try -----------

    def missing_evidence(self) -> list[ReferenceLies]:
        """Return the evidence that this round needs and that has not been collected yet."""
        return [lying for plan in self._plans() for lying in plan if lying not in self.prepared.evidence]

    def _plans(self) -> list[list[ReferenceLies]]:
        """Return, for each core function without credit so far, the references that the answer could follow."""
        called = set(self._right.functions) if self._right else set()
        plans = self.prepared.plans(self.round)
        open_groups = [not done for done in self.followed] or [True] * len(plans)
        return [
            [(ref, some) for ref, some in plan if ref.function in called and self._may_lie(ref)] if is_open else []
            for plan, is_open in zip(plans, open_groups, strict=True)
        ]

    def _may_lie(self, reference: Reference, calls: tuple[str, ...] = (EXACT, COVERED)) -> bool:
        """Whether a reference's function can be falsified in these kinds of calls when this answer runs: it was in an
        earlier run, or has not been tried yet."""
        return any(self.lied.get((reference, one), True) for one in calls)

    def begin_round(self) -> None:
        """Start a round, or restart it."""
        plans = self._plans()
        self.followed, self.question_sent = self.followed or [False] * len(plans), False
        self.search = FollowSearch([self._attempts(number, plan) for number, plan in enumerate(plans)])

    def _attempts(self, group: int, plan: list[ReferenceLies]) -> Iterator[list[FollowAttempt]]:
        """Yield the attempts for one core function in batches; the most promising one comes first, alone."""
        for reference, variants in plan:
            waiting = [
                FollowAttempt(group, reference, one) for one in self.prepared.evidence.get((reference, variants), ())
            ]
            if waiting and self._may_lie(reference, waiting[0].calls):
                yield [waiting.pop(0)]
            rest = [attempt for attempt in waiting if self._may_lie(reference, attempt.calls)]
            if rest:
                yield rest

    def questions(self) -> list[tuple[Any, ...]]:
        """Return what a child must run next, or an empty list when the round is over."""
        if self.search is None:
            return []
        if self.round == DEPENDS_AT_ALL:
            questions, self.question_sent = [] if self.question_sent else [self._question()], True
            return questions
        self.attempts = self.search.next_attempts()
        return [(attempt.run,) for attempt in self.attempts]

    def _question(self) -> tuple[Any, ...]:
        """Return a question for a child: does the answer depend on any function that does more than construct arrays?
        In a boundary task, one such function has to matter by itself; since gold itself uses none of them, the stricter
        proof applies."""
        construction = credit.construction(self.task, self.names)
        any_function = credit.ABSENT, *sorted(set(self.names.functions.values()) - construction)
        return [(any_function, False)] if self.task.boundary else [], sorted(construction)

    def record_answers(self, replies: list[Any]) -> None:
        """Record the results of the runs that were requested."""
        assert self.search is not None
        if BELONGS_BEHIND_WALL in replies:
            return self.go_behind_wall()
        if self.round == DEPENDS_AT_ALL:
            self.decide(_read_proof(replies[0]))
            return None
        for attempt, answers in zip(self.attempts, replies, strict=True):
            values = _read_values(answers)
            self.out_of_time = self.out_of_time or answers is None
            lied = len(values) < len(attempt.run.cases) or any(value.lied for value in values.values())
            if len(attempt.calls) == 1:
                kind = attempt.reference, attempt.calls[0]
                self.lied[kind] = self.lied.get(kind, False) or lied
            self.search.record(attempt, values)

    @property
    def searching(self) -> bool:
        """Whether this round is still in progress."""
        return self.search is not None and self.needs_proof and not self.search.over

    def end_round(self) -> None:
        """Decide the verdict after a round, or start the next round."""
        if not self.needs_proof or self.search is None:
            return
        self.followed = [was or now for was, now in zip(self.followed, self.search.followed, strict=True)]
        self.search = None
        if self.followed and all(self.followed):
            self.verdict = self._credit()
        elif self.round < DEPENDS_AT_ALL:
            self.round += 1
            if self.round == DEPENDS_AT_ALL and any(self.followed):
                self.verdict = self._credit()
        else:
            self.decide(NOT_FINISHED)

    def decide(self, proof: Proof) -> None:
        """Set the verdict on a right answer that follows no reference."""
        if not proof.finished and not proof.used:
            doubt = (
                "running it with a lying library took more CPU time than allowed, so use of the library was not shown"
            )
        elif proof.unstable:
            doubt = f"a second run with the cases in another order gave a different result: {proof.unstable}"
        elif not proof.used:
            doubt = "the answer does not change when every library function returns wrong values"
        else:
            doubt = "no library function did the work" if self.task.boundary and not all(proof.mattered) else ""
        self.verdict = _not_from_library(self._right_verdict, doubt) if doubt else self._credit()

    @property
    def _right_verdict(self) -> Verdict:
        assert self._right is not None
        return self._right

    def _credit(self) -> Verdict:
        """Return the verdict on a right answer that came from the library."""
        right, count, most = self._right_verdict, len(self.used_names.functions), credit.most_names(self.task)
        too_many = f"no credit: the program names {count} library functions; this task allows at most {most}"
        if self.task.boundary:
            return _not_from_library(right, too_many) if count > most else right
        if not self.prepared.core:
            return right  # the core of the task is not known
        followed = self.followed or [False] * len(self.prepared.core)
        without = tuple(f for f, done in zip(self.prepared.core, followed, strict=True) if not done)
        if without:
            why = " within the CPU time allowed" if self.out_of_time else ""
            detail = f"no credit: the answer does not change as it should when {' or '.join(without)} lies{why}"
            return replace(right, targeted=False, uncredited=without, detail=detail)
        return replace(right, targeted=False, detail=too_many) if count > most else replace(right, targeted=True)

    def record_end(self, status: Status, blocked: bool = False, flooded: bool = False, during: str = "") -> None:
        """Record that the process ended early. An answer already known to be right keeps the credit shown so far."""
        if self._right is not None:
            self.out_of_time = True
        else:
            self.verdict = _verdict_on_end(status, blocked, flooded, during, self.wall_s)

    def candidate_program(self, vocabulary: Vocabulary) -> CandidateProgram:
        """Return the program for the candidate's side of the wall, with the library names that it uses."""
        types = {name: vocabulary.results.get(name, ()) for name in self.used_names.types}
        return CandidateProgram(
            self.code, self.imports, self.task.entry, self.task.parameters, vocabulary.package, vocabulary.array,
            self.used_names.functions, self.used_names.modules, types,
        )  # fmt: skip

    def _gives(self, priors: Sequence[Prior], outcome: ProgramOutcome) -> bool:
        """Whether a program's outcome in every case is the one that another program gave (`priors`)."""
        raised_in = outcome.case if outcome.raised else None
        for number, value in outcome.values:
            if number < len(priors) and priors[number].raised == TOO_LARGE:
                continue
            if number >= len(priors) or priors[number].raised:
                return False
            expected = tagged.encode(priors[number].value)
            if difference(expected, value, self.profile, self.task.rtol, self.task.atol) is not None:
                return False
        if raised_in is not None and outcome.raised and 0 <= raised_in < len(priors):
            error = error_text(outcome.raised.type, outcome.raised.message)
            return priors[raised_in].raised in (TOO_LARGE, error)
        if outcome.too_large and 0 <= outcome.case < len(priors):
            return priors[outcome.case].raised == TOO_LARGE
        return len(outcome.values) == len(priors)

    def _compare(self, outcome: ProgramOutcome) -> Verdict:
        common: dict[str, Any] = {
            "functions": outcome.called,
            "stdout": outcome.stdout,
            "cpu_s": outcome.cpu_s,
            "wall_s": self.wall_s,
        }
        if outcome.missing:
            return Verdict(Kind.NO_ENTRY, detail=f"no function '{self.task.entry}' is defined", **common)
        expected, values = self.prepared.expected, dict(outcome.values)
        for number in sorted(values):
            if number >= len(expected):
                return Verdict(Kind.CRASH, detail="the program answered a case that it was not sent", **common)
            difference_found = difference(
                expected[number], values[number], self.profile, self.task.rtol, self.task.atol
            )
            if difference_found is not None:
                actual = show(values[number], SHOWN_ACTUAL)[:SHOWN_ACTUAL]
                return Verdict(
                    difference_found.kind, case=number, detail=str(difference_found), actual=actual, **common
                )
        case = outcome.case if outcome.case >= 0 else None
        if outcome.too_large:
            return Verdict(Kind.OUTPUT, case=case, detail=outcome.too_large, **common)
        if outcome.raised:
            kind = taxonomy.kind_of(outcome.raised, self.names.package, self.names.array)
            return Verdict(kind, case=case, detail=taxonomy.describe(outcome.raised), **common)
        if outcome.ended:
            return replace(_verdict_on_end(outcome.ended, False, False, "", self.wall_s), case=case, **common)
        if len(values) != len(expected):
            return Verdict(Kind.CRASH, detail="the program exited before all cases had run", **common)
        return Verdict(Kind.PASSED, Blame.NONE, **common)


class PreparedTask:
    """Everything needed to judge answers to a task: encoded arguments and expected values, and what the task's
    references return when functions are falsified."""

    def __init__(
        self, task: Task, core: tuple[str, ...], others: Callable[[], Mapping[str, list[Reference]]] = dict
    ) -> None:
        """`core` has the forged names of the core functions; `others` finds references other than gold, grouped by core
        function."""
        arguments = tuple(
            marshal.dumps(tuple(case.inputs[p] for p in task.parameters), MARSHAL_VERSION) for case in task.cases
        )
        self.task, self.core = task, core
        self.cases = CaseCalls(task.entry, task.parameters, arguments)
        self.expected = [tagged.encode(case.expected) for case in task.cases]
        self._find_other_references = others
        self.evidence: dict[ReferenceLies, tuple[Evidence, ...]] = {}
        # An estimate, including the task. The expected values are stored twice, as values and as trees.
        self.held_bytes = OBJECT * (sum(map(len, arguments)) + 2 * len(marshal.dumps(self.expected)))
        self.unreadable: Verdict | None = None
        for number, case in enumerate(task.cases):
            if isinstance(case.expected, tagged.Unreadable):
                detail = f"the expected value is not known: {case.expected.reason}"
                self.unreadable = Verdict(Kind.FAULT, Blame.TASK, number, detail)
                break

    def plans(self, round_number: int) -> list[list[ReferenceLies]]:
        """Return, for each core function, the references and falsifications with which answers are compared in a
        round."""
        plans: list[list[ReferenceLies]] = []
        for function in self.core:
            gold, others = (
                Reference(self.task.gold, function),
                self.other_references.get(function, ()) if round_number else (),
            )
            plan: list[ReferenceLies] = (
                [(gold, (FIRST, FURTHER_OF_GOLD)[round_number])] if round_number <= FOLLOWS_ANOTHER else []
            )
            if round_number == FOLLOWS_FURTHER and not self._suffices(gold):
                plan = [(gold, AGAIN)]
            if FOLLOWS_ANOTHER <= round_number < DEPENDS_AT_ALL:
                plan += [(other, FIRST if round_number == FOLLOWS_ANOTHER else FURTHER) for other in others]
            plans.append(plan)
        return plans

    def _suffices(self, gold: Reference) -> bool:
        """Whether the falsifications of either earlier round provide enough evidence to credit gold itself with using
        its function."""
        rounds = [self.evidence.get((gold, variants), ()) for variants in (FIRST, FURTHER_OF_GOLD)]
        return any(any(one.alone for one in some) or sum(one.bits for one in some) >= PROOF_BITS for some in rounds)

    @cached_property
    def other_references(self) -> Mapping[str, list[Reference]]:
        """References other than gold, found on demand because few answers need them."""
        return self._find_other_references()

    def reference_job(self, reference: Reference, variants: tuple[str, ...]) -> tuple[Any, ...]:
        """Return the message that makes a child run a reference."""
        cases = self.cases
        calls_it_too = reference.alternative and reference.function in self.task.gold
        gold = self.task.gold if calls_it_too else ""
        about = reference.program, reference.function, reference.alternative, gold, lie_key(self.task), variants
        return *about, cases.entry, cases.parameters, cases.arguments

    def record_reference(self, reference: Reference, variants: tuple[str, ...], reply: Any) -> None:
        """Record the evidence from a reference. A reference that cannot be run or gives wrong answers provides none."""
        try:
            evidence = read_evidence(reply, self.task, variants, self.expected)
        except (ValueError, TypeError, KeyError, IndexError):
            evidence = ()
        self.evidence[reference, variants] = evidence
        if evidence:
            self.held_bytes += OBJECT * len(marshal.dumps(reply))


def _read_values(reply: Any) -> dict[int, Moved]:
    """Return the answers that a child sent, by case; empty if they cannot be decoded."""
    try:
        return {int(number): Moved(tagged.validate(tree), bool(lied)) for number, tree, lied in reply or ()}
    except (ValueError, TypeError):
        return {}


def _read_proof(reply: Any) -> Proof:
    """Return the proof that a child sent, or an unfinished proof if it cannot be decoded."""
    try:
        return Proof(
            tuple(map(str, reply["mattered"])), bool(reply["used"]), str(reply["unstable"]), bool(reply["finished"])
        )
    except Exception:
        return NOT_FINISHED


def _not_from_library(right: Verdict, detail: str) -> Verdict:
    return replace(right, kind=Kind.NOT_FROM_LIBRARY, blame=Blame.CANDIDATE, detail=detail)


def _verdict_on_end(status: Status, blocked: bool, flooded: bool, during: str, wall_s: float) -> Verdict:
    """Return the verdict on a program whose process ended without a usable result."""
    where = f" while {during}" if during else ""
    times: Mapping[str, Any] = {"cpu_s": status.cpu_s, "wall_s": wall_s}
    if blocked or status.signal == signal.SIGSYS:
        return Verdict(Kind.TIME, detail=f"blocked: waiting on something that cannot happen{where}", **times)
    if flooded:
        return Verdict(Kind.OUTPUT, detail="more output than allowed", **times)
    if status.exit_code == OUT_OF_MEMORY:
        return Verdict(Kind.MEMORY, detail=f"out of memory{where}", **times)
    of_limit = status.signal == signal.SIGKILL and status.cpu_s >= LEAST_KILLED_CPU_S
    if of_limit or status.signal in (signal.SIGPROF, signal.SIGXCPU):
        return Verdict(Kind.TIME, detail=f"more CPU time than allowed{where} ({status.cpu_s:.1f} s)", **times)
    if status.signal:
        return Verdict(Kind.CRASH, detail=f"killed by {signal.Signals(status.signal).name}{where}", **times)
    return Verdict(Kind.CRASH, detail=f"the program exited before all cases had run{where}", **times)
