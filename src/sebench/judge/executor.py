"""Runs submissions: stateless programs share a process, and every other program runs behind the wall, that is, in a
process without the library (`sandbox/candidate.py`).

Every program runs once with a truthful library. Those with right answers run again, in other processes, while functions
are falsified (return deliberately wrong values); what reference programs return under the same falsifications
(`following.py`) is computed before that, once per task. Programs that share a process get a short time limit. If the
process ends abnormally, the program that was running is run again by itself with the full time limit, and the others
share another process. A failure of the sandbox itself is a `SandboxFault`.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from sebench.base.child import LACK_OF_MEMORY
from sebench.base.errors import SandboxFault
from sebench.base.records import Blame, Kind, Verdict
from sebench.judge.following import Reference
from sebench.judge.program.vocabulary import Vocabulary
from sebench.judge.sandbox.pool import TRIES, Sandbox, SandboxSession, ZygoteDied
from sebench.judge.sandbox.wire import (
    BEGUN,
    FROM_OUTSIDE,
    OWN_FAULT,
    PROGRAMS,
    PROOFS,
    REFERENCES,
    SERVE,
    Budget,
    Status,
    to_bytes,
)
from sebench.judge.submission import PreparedTask, Submission

P = ParamSpec("P")
SMALL_FRAME = 4 << 20  # bytes; for frames that the program itself can write
LEAST_PROOF_CPU_S = 0.05  # with less time left, no run is started
PAUSE_S = 0.004  # between polls of a process that several programs share
QUICK = 0.25  # share of the shared CPU time; a program that used more runs alone from then on
T = TypeVar("T")
NO_MEMORY = f"it was {LACK_OF_MEMORY}; free some memory, or judge with fewer workers"


class Executor:
    """Runs submissions in a sandbox."""

    def __init__(self, sandbox: Sandbox, vocabulary: Vocabulary, budget: Budget, wall_s: float, walled: bool) -> None:
        self.sandbox, self.vocabulary, self.budget = sandbox, vocabulary, budget
        self.wall_s, self.walled = wall_s, walled
        self.current: Sequence[Submission] = ()  # what is running now

    def _set_current(self, submissions: Sequence[Submission]) -> None:
        """Make these the submissions being run, and stop immediately if they have already been abandoned."""
        self.current = submissions
        self._stop_if_abandoned()

    def _stop_if_abandoned(self) -> None:
        """Stop the current run if its verdicts are no longer wanted. Also called from other threads."""
        if self.current and all(s.abandoned for s in self.current):
            self.sandbox.give_up()

    def decide(self, submissions: Sequence[Submission]) -> None:
        """Run every submission until it has a verdict."""
        for submission in submissions:
            submission.on_abandon = self._stop_if_abandoned
        for submission in submissions:
            if submission.native and submission.verdict is None and not submission.abandoned:
                self._run_blaming(submission, self._translate, submission)
        waiting = [s for s in submissions if s.verdict is None]
        while waiting := [s for s in waiting if not s.abandoned]:
            for suspect in self._run_shared(self._read_and_run, waiting) if len(waiting) > 1 else waiting:
                self._run_blaming(suspect, self._read_and_run, [suspect])
            self._behind_wall([s for s in waiting if s.undecided and s.code and not s.stateless], truthful=True)
            waiting = [s for s in waiting if s.undecided]
        self._prove([s for s in submissions if s.needs_proof and not s.abandoned])

    def _prove(self, submissions: list[Submission]) -> None:
        """Decide whether right answers are credited, in as many rounds as needed. Nearly all follow gold and need only
        one."""
        while waiting := [s for s in submissions if s.needs_proof and not s.abandoned]:
            self._collect_evidence(waiting)
            for submission in waiting:
                submission.begin_round()
            in_time = [s for s in waiting if self._has_time(s)]
            stateless, walled = ([s for s in in_time if s.stateless is one] for one in (True, False))
            quick = [s for s in stateless if s.cpu_s < QUICK * self.budget.shared]
            suspects = self._run_shared(self._prove_together, quick) if len(quick) > 1 else quick
            for submission in [*suspects, *(s for s in stateless if s not in quick)]:
                if not submission.abandoned:
                    self._run_blaming(submission, self._prove_together, [submission])
            self._behind_wall(walled, truthful=False)
            for submission in waiting:
                submission.end_round()
            self._behind_wall([s for s in waiting if s.undecided], truthful=True)

    def _has_time(self, submission: Submission) -> bool:
        """Whether there is CPU time left for a run with a falsified library."""
        enough = submission.budget(self.budget).proofs >= LEAST_PROOF_CPU_S
        submission.out_of_time = submission.out_of_time or not enough
        return enough

    def _run_shared(
        self, act: Callable[[list[Submission]], list[Submission]], submissions: list[Submission]
    ) -> list[Submission]:
        """Run these submissions together, and return those that must run alone. A fault during a shared run is not yet
        blamed on any program."""
        try:
            return self._with_retries(act, submissions)
        except SandboxFault:
            return [s for s in submissions if s.verdict is None]

    def _run_blaming(self, submission: Submission, act: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Call `act` for one submission; a sandbox fault becomes the verdict on this submission only."""
        try:
            return self._with_retries(act, *args, **options)
        except SandboxFault as fault:
            submission.verdict = Verdict(Kind.FAULT, Blame.SANDBOX, detail=str(fault))
            return None

    def _with_retries(self, act: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Call `act`, which uses the sandbox. If a zygote dies, start over with another one: that is not the program's
        fault."""
        why = ""
        for _ in range(TRIES):
            try:
                return act(*args, **options)
            except ZygoteDied as died:
                self.sandbox.close(kill=True)
                why = str(died) or (NO_MEMORY if self.sandbox.lacked_memory() else "its zygote died")
        raise SandboxFault(f"a run failed {TRIES} times: {why}")

    def _check(self, status: Status, session: SandboxSession) -> None:
        """Raise an error if the run ended because of the sandbox or the machine, not because of the program."""
        if status.exit_code == OWN_FAULT:
            raise SandboxFault(f"a child of the sandbox failed: {session.fault or 'no reason was reported'}")
        self._check_end(status, session)

    def _check_end(self, status: Status, session: SandboxSession) -> None:
        """Raise ZygoteDied if the run was killed from outside."""
        if status.from_outside and not session.given_up:
            self._check_signal(status.signal)

    def _check_signal(self, number: int) -> None:
        """Raise ZygoteDied if a signal came from outside: the kernel sent it for lack of memory, or no program can send
        signals to itself."""
        if number == signal.SIGKILL and self.sandbox.lacked_memory():
            raise ZygoteDied(NO_MEMORY)
        if self.sandbox.refuses_signals:
            raise ZygoteDied(f"a run was killed from outside by {signal.Signals(number).name}")

    def _translate(self, submission: Submission) -> None:
        """Translate an answer written in NumPy, and run it with NumPy. An early end of the process can be the sandbox's
        fault only before the program has started."""
        session = self.sandbox.native(self.wall_s)
        self._set_current([submission])
        outcome, started = None, False
        try:
            session.send(to_bytes(submission.response, *_case_fields(submission), self.budget))
            reading = session.receive()
            if isinstance(reading, dict) and reading.get("kind") is None and session.receive(SMALL_FRAME) == BEGUN:
                # from here on the program itself can write frames
                started, outcome = True, session.receive(SMALL_FRAME)
                session.give_up()
        finally:
            self.current = ()
            status = session.close()
        submission.wall_s = session.wall_s
        if not started:
            self._check(status, session)
        elif outcome is None:
            self._check_end(status, session)
        if reading is not None:
            submission.record_translation(reading, outcome, ran=started)
            return
        submission.record_end(status, session.blocked, session.flooded, "it was being read")

    # ---- stateless programs ----------------------------------------------------------------------------------------

    def _read_and_run(self, submissions: list[Submission]) -> list[Submission]:
        """Read these responses and run the stateless programs in one process. Return those that may have ended it
        early; if there was only one response, the early end is recorded in its verdict."""
        for submission in submissions:  # this may be a retry
            submission.reset()
        return self._in_session(PROGRAMS, submissions, self._exchange_programs)

    def _prove_together(self, submissions: list[Submission]) -> list[Submission]:
        """Credit these stateless programs, all in one process."""
        submissions = [s for s in submissions if s.needs_proof]  # the others went behind the wall in an earlier attempt
        for submission in submissions:
            submission.begin_round()
        return self._in_session(PROOFS, submissions, self._exchange_proofs)

    def _in_session(
        self,
        request: bytes,
        submissions: list[Submission],
        converse: Callable[[SandboxSession, list[Submission]], tuple[list[Submission], str]],
    ) -> list[Submission]:
        session = self.sandbox.library(request, self.wall_s)
        self._set_current(submissions)
        try:
            suspects, during = converse(session, submissions)
        finally:
            self.current = ()
            status = session.close()
        if suspects:
            self._check(status, session)
        if len(submissions) == 1 and request == PROOFS:
            submissions[0].proofs_cpu_s += status.cpu_s
        if suspects and len(submissions) == 1:
            submissions[0].wall_s += session.wall_s
            submissions[0].record_end(status, session.blocked, session.flooded, during)
        return suspects

    def _exchange_programs(
        self, session: SandboxSession, submissions: list[Submission]
    ) -> tuple[list[Submission], str]:
        jobs = [(s.response, s.task.gone, *_case_fields(s)) for s in submissions]
        session.send(to_bytes(jobs, self.budget, not self.walled))
        readings = session.receive()
        if not isinstance(readings, list) or len(readings) != len(submissions):
            return submissions, "it was being read"
        for submission, reading in zip(submissions, readings, strict=True):
            submission.record_reading(reading)
        session.pause_s = PAUSE_S if len(submissions) > 1 else 0.0
        for submission in [s for s in submissions if s.stateless and s.undecided]:
            if (outcome := session.receive()) is None:
                return [submission], ""
            submission.wall_s = session.wall_s / len(submissions)
            submission.record_outcome(outcome)
        return [], ""

    def _exchange_proofs(self, session: SandboxSession, submissions: list[Submission]) -> tuple[list[Submission], str]:
        budget = self.budget if len(submissions) > 1 else submissions[0].budget(self.budget)
        session.send(to_bytes([(s.code, *_case_fields(s)) for s in submissions], budget))
        while questions := [(number, *question) for number, t in enumerate(submissions) for question in t.questions()]:
            session.send(to_bytes(*questions))
            replies = session.receive()
            if not isinstance(replies, list) or len(replies) != len(questions):
                return [s for s in submissions if s.searching], ""
            for submission, answers in _group_by_submission(submissions, questions, replies):
                submission.record_answers(answers)
        session.send(to_bytes())
        return [], ""

    # ---- references ------------------------------------------------------------------------------------------------

    def _collect_evidence(self, submissions: list[Submission]) -> None:
        """Run the references whose evidence these submissions still lack, all in one process, and then retry those
        without a result one by one. An answer cannot be credited without this evidence."""
        missing = [(s.prepared, *about) for s in submissions for about in s.missing_evidence()]
        why = ""
        for jobs in (missing, *([job] for job in missing)):
            if todo := list(dict.fromkeys(job for job in jobs if job[1:] not in job[0].evidence)):
                try:
                    self._with_retries(self._run_references, todo)
                except SandboxFault as fault:
                    why = str(fault)
        for submission in submissions:
            if why and submission.missing_evidence():
                submission.verdict = Verdict(Kind.FAULT, Blame.SANDBOX, detail=why)

    def _run_references(self, jobs: Sequence[tuple[PreparedTask, Reference, tuple[str, ...]]]) -> None:
        session = self.sandbox.library(REFERENCES, self.wall_s)
        reply: Any = None
        try:
            session.send(to_bytes(*(prepared.reference_job(ref, variants) for prepared, ref, variants in jobs)))
            for prepared, ref, variants in jobs:
                if (reply := session.receive()) is None:
                    break
                prepared.record_reference(ref, variants, reply)
        finally:
            status = session.close()
        if reply is None:
            self._check_end(status, session)
            if len(jobs) == 1:
                prepared.record_reference(ref, variants, None)

    # ---- programs behind the wall ----------------------------------------------------------------------------------

    def _behind_wall(self, submissions: Sequence[Submission], truthful: bool) -> None:
        """Run these programs behind the wall, one after the other; unless `truthful`, do only the runs that decide
        credit. They share one library process; if anything unusual happens to it, the current program runs again with a
        fresh one."""
        library: SandboxSession | None = None
        try:
            for submission in submissions:
                if submission.abandoned:
                    continue
                lent, library = library, None
                used, before = lent is not None, (submission.proofs_cpu_s, submission.out_of_time)
                try:
                    library = self._run_walled(submission, lent, truthful)
                except ZygoteDied:
                    self.sandbox.close(kill=True)
                    used = True
                except SandboxFault:
                    used = True
                if library is None and used:
                    submission.proofs_cpu_s, submission.out_of_time = before
                    library = self._run_blaming(submission, self._run_walled, submission, None, truthful)
        finally:
            if library is not None:
                with contextlib.suppress(ZygoteDied):  # the next session will notice
                    library.close()

    def _run_walled(
        self, submission: Submission, library: SandboxSession | None, truthful: bool
    ) -> SandboxSession | None:
        """Run a program with the truthful library, unless that has been done, and then immediately with a falsified one
        if the evidence is available, since the processes are already running. Return the library process if other
        programs may use it."""
        if truthful:
            submission.reset()
        library = library or self.sandbox.library(SERVE, self.wall_s)
        template = self.sandbox.template(submission.candidate_program(self.vocabulary), self.wall_s)
        self._set_current([submission])
        outcome: Any = {}
        proof_requested, cpu_s = False, 0.0
        try:
            library.begin()
            library.send(
                to_bytes(submission.prepared.cases, self.budget, submission.used_names.functions, truthful), template
            )
            if truthful:
                outcome = library.receive()
                submission.wall_s = library.wall_s
                self._record_walled(submission, outcome)
            if submission.needs_proof and not submission.missing_evidence():
                submission.begin_round()
                proof_requested = self._has_time(submission)
                cpu_s = self._run_lying(submission, library) if proof_requested else 0.0
            library.send(b"")
        except BaseException:
            library.give_up()  # it may be waiting for the template
            raise
        finally:
            self.current = ()
            template_status = template.close()
        try:
            self._check(template_status, template)
        except (SandboxFault, ZygoteDied):
            library.close()
            raise
        unfinished = submission.undecided or (proof_requested and submission.searching)
        if unfinished or _ended_abnormally(outcome):
            status = library.close()
            self._check(status, library)
            if unfinished:
                during = (
                    "its library calls were being answered" if outcome is None else "its modules were being imported"
                )
                ending = template_status if outcome is not None and submission.undecided else status
                submission.record_end(ending, library.blocked, library.flooded, during)
            library = None
        submission.proofs_cpu_s += cpu_s  # only now: a sandbox failure must not cost the program any time
        submission.end_round()
        return library

    def _record_walled(self, submission: Submission, outcome: Any) -> None:
        """Record the outcome of a truthful run, if the candidate could be started and was not killed from outside."""
        ending = _ending(outcome)
        template_gone = ending.get("exit_code") == -1 and ending.get("signal") == 0
        if outcome is not None and not template_gone:
            if (number := ending.get("signal", 0)) in FROM_OUTSIDE:
                self._check_signal(number)
            submission.record_outcome(outcome)

    def _run_lying(self, submission: Submission, library: SandboxSession) -> float:
        """Run a program with a falsified library as often as this round needs. Return the CPU time used."""
        spent = 0.0
        while questions := submission.questions():
            budget = submission.budget(self.budget, spent)
            library.send(to_bytes(budget, *questions))
            replies, cpu_s, killed = _read_lying_runs(library.receive(), budget)
            spent += cpu_s
            if killed:
                self._check_signal(signal.SIGKILL)
            if len(replies) != len(questions):
                break
            submission.record_answers(replies)
        return spent


def _read_lying_runs(reply: Any, budget: Budget) -> tuple[list[Any], float, bool]:
    """Return the results of the falsified runs, the CPU time of all runs so far (the whole budget if there is no
    reply), and whether a run was killed."""
    try:
        return list(reply["shown"]), float(reply["cpu_s"]), bool(reply["killed"])
    except (TypeError, KeyError, ValueError):
        return [], budget.proofs, False


def _group_by_submission(
    submissions: Sequence[Submission], questions: Sequence[tuple[Any, ...]], replies: Sequence[Any]
) -> list[tuple[Submission, list[Any]]]:
    """Group the replies by the submission whose questions they answer."""
    grouped: dict[int, list[Any]] = {}
    for (number, *_), answer in zip(questions, replies, strict=True):
        grouped.setdefault(number, []).append(answer)
    return [(submissions[number], answers) for number, answers in grouped.items()]


def _case_fields(submission: Submission) -> tuple[Any, ...]:
    cases = submission.prepared.cases
    return cases.entry, cases.parameters, cases.arguments


def _ending(outcome: Any) -> dict[str, Any]:
    """Return how a candidate ended early, as its library process reported it; empty if it did not end early."""
    ended = outcome.get("ended") if isinstance(outcome, dict) else None
    return ended if isinstance(ended, dict) else {}


def _ended_abnormally(outcome: Any) -> bool:
    """Whether a run ended in a way that earlier work of the library process may have caused."""
    if not isinstance(outcome, dict):
        return True
    return bool(
        (outcome.get("ended") and _ending(outcome).get("signal") != signal.SIGSYS)
        or outcome.get("too_large")
        or (outcome.get("raised") or {}).get("type") == "MemoryError"
    )
