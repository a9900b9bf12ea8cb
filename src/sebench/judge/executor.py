"""How trials are run: stateless programs together in one process, every other one behind the wall.

First every program runs once while the library tells the truth. Those whose answers are right run again while functions lie, in other processes;
what right programs give under the same lies (`following.py`) is found out before that, once for each task. Programs that share a process have
little time, and one that ends the process in any but an ordinary way is asked again alone, with all of its time; the others share another
process. What cannot be run because the sandbox fails is a `SandboxFault`.
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
    BELONGS_BEHIND_WALL,
    FROM_OUTSIDE,
    OWN_FAULT,
    PROGRAMS,
    PROOFS,
    REFERENCES,
    SERVE,
    Budget,
    CoreGroup,
    Status,
    to_bytes,
)
from sebench.judge.submission import PreparedTask, Submission, read_proof
from sebench.provenance.proof import Proof

P = ParamSpec("P")
SMALL_FRAME = 4 << 20  # bytes; of what a program says that holds the line itself
LEAST_PROOF_CPU_S = 0.05  # with less, no run is begun
PAUSE_S = 0.004  # between looks at what programs that share a process have said
QUICK = 0.25  # of the CPU time that programs share: who has used more runs alone from then on
T = TypeVar("T")
NO_MEMORY = f"it was {LACK_OF_MEMORY}; free some, or judge with fewer workers"


class Executor:
    """Runs trials in a sandbox."""

    def __init__(self, sandbox: Sandbox, vocabulary: Vocabulary, budget: Budget, wall_s: float, walled: bool) -> None:
        self.sandbox, self.vocabulary, self.budget, self.wall_s, self.walled = (
            sandbox,
            vocabulary,
            budget,
            wall_s,
            walled,
        )
        self.current: Sequence[Submission] = ()  # what runs now

    def _set_current(self, submissions: Sequence[Submission]) -> None:
        """From here on these run; somebody may have given them up before."""
        self.current = submissions
        self._stop_if_abandoned()

    def _stop_if_abandoned(self) -> None:
        """End what runs if nobody wants it; also called from other threads."""
        if self.current and all(submission.abandoned for submission in self.current):
            self.sandbox.give_up()

    def decide(self, submissions: Sequence[Submission]) -> None:
        """Bring every trial to its verdict."""
        for submission in submissions:
            submission.on_abandon = self._stop_if_abandoned
        for submission in submissions:
            if submission.native and submission.verdict is None and not submission.abandoned:
                self._run_blaming(submission, self._translate, submission)
        waiting = [submission for submission in submissions if submission.verdict is None]
        while waiting := [submission for submission in waiting if not submission.abandoned]:
            for suspect in self._run_shared(self._read_and_run, waiting) if len(waiting) > 1 else waiting:
                self._run_blaming(suspect, self._read_and_run, [suspect])
            self._behind_wall(
                [
                    submission
                    for submission in waiting
                    if submission.undecided and submission.code and not submission.stateless
                ],
                self._run_walled,
            )
            waiting = [submission for submission in waiting if submission.undecided]
        self._prove([submission for submission in submissions if submission.needs_proof and not submission.abandoned])

    def _prove(self, submissions: list[Submission]) -> None:
        """Credit right answers, in as many rounds as they need: nearly all follow gold, and need one."""
        while waiting := [
            submission for submission in submissions if submission.needs_proof and not submission.abandoned
        ]:
            self._collect_evidence(waiting)
            for submission in waiting:
                submission.begin_round()
            in_time = [submission for submission in waiting if self._has_time(submission)]
            stateless, walled = (
                [submission for submission in in_time if submission.stateless is one] for one in (True, False)
            )
            quick = [submission for submission in stateless if submission.cpu_s < QUICK * self.budget.shared]
            suspects = self._run_shared(self._prove_together, quick) if len(quick) > 1 else quick
            for submission in [*suspects, *(submission for submission in stateless if submission not in quick)]:
                if not submission.abandoned:
                    self._run_blaming(submission, self._prove_together, [submission])
            self._behind_wall(walled, self._prove_walled)
            for submission in waiting:
                submission.end_round()
            self._behind_wall([submission for submission in waiting if submission.undecided], self._run_walled)

    def _has_time(self, submission: Submission) -> bool:
        """Whether there is CPU time left for a run in which the library lies."""
        enough = submission.budget(self.budget).proofs >= LEAST_PROOF_CPU_S
        submission.out_of_time = submission.out_of_time or not enough
        return enough

    def _run_shared(
        self, act: Callable[[list[Submission]], list[Submission]], submissions: list[Submission]
    ) -> list[Submission]:
        """Run these together; those that must run alone. A fault that several share is nobody's yet."""
        try:
            return self._with_retries(act, submissions)
        except SandboxFault:
            return [submission for submission in submissions if submission.verdict is None]

    def _run_blaming(self, submission: Submission, act: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Do something for one trial; a fault of the sandbox becomes its verdict, and that of no other."""
        try:
            return self._with_retries(act, *args, **options)
        except SandboxFault as fault:
            submission.verdict = Verdict(Kind.FAULT, Blame.SANDBOX, detail=str(fault))
            return None

    def prove(self, submission: Submission, groups: list[CoreGroup]) -> Proof:
        """For a right answer, which function of each group matters. The trial must have been decided before."""
        return self._with_retries(self._proof, submission, groups)

    def _with_retries(self, act: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Do something with the sandbox. If a zygote dies, that is nobody's fault: it is done again with another one, from the beginning."""
        why = ""
        for _ in range(TRIES):
            try:
                return act(*args, **options)
            except ZygoteDied as died:
                self.sandbox.close(kill=True)
                why = str(died) or (NO_MEMORY if self.sandbox.lacked_memory() else "its zygote died")
        raise SandboxFault(f"a run failed {TRIES} times: {why}")

    def _check(self, status: Status, session: SandboxSession) -> None:
        """A fault of ours, or of the machine, is not the program's."""
        if status.exit_code == OWN_FAULT:
            raise SandboxFault(f"a child of the sandbox failed: {session.fault or 'it gave no reason'}")
        self._check_end(status, session)

    def _check_end(self, status: Status, session: SandboxSession) -> None:
        """ZygoteDied if somebody else ended a run."""
        if status.from_outside and not session.given_up:
            self._check_signal(status.signal)

    def _check_signal(self, number: int) -> None:
        """The kernel tells whether it has killed something for lack of memory. Other signals are nobody's fault either, if a program
        cannot send them to itself."""
        if number == signal.SIGKILL and self.sandbox.lacked_memory():
            raise ZygoteDied(NO_MEMORY)
        if self.sandbox.refuses_signals:
            raise ZygoteDied(f"somebody ended a run by {signal.Signals(number).name}")

    def _translate(self, submission: Submission) -> None:
        """Have an answer in NumPy translated, and run with NumPy. How its process ends says something of the sandbox only as long as the
        program has not begun."""
        session = self.sandbox.native(self.wall_s)
        self._set_current([submission])
        outcome, started = None, False
        try:
            session.send(to_bytes(submission.response, *_case_fields(submission), self.budget))
            reading = session.receive()
            if isinstance(reading, dict) and reading.get("kind") is None and session.receive(SMALL_FRAME) == BEGUN:
                started, outcome = (
                    True,
                    session.receive(SMALL_FRAME),
                )  # from here on the program may write what it likes
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
        submission.record_end(status, session.blocked, session.flooded, "it was read")

    # ---- stateless programs ----------------------------------------------------------------------------------------

    def _read_and_run(self, submissions: list[Submission]) -> list[Submission]:
        """Read these responses and run the stateless ones in one process. Those that may have ended it before its time; if there is only one,
        that is its verdict."""
        for submission in submissions:  # it may be a second try
            submission.reset()
        return self._in_session(PROGRAMS, submissions, self._exchange_programs)

    def _prove_together(self, submissions: list[Submission]) -> list[Submission]:
        """Credit these stateless programs in one process."""
        submissions = [
            submission for submission in submissions if submission.needs_proof
        ]  # the others went behind the wall in an earlier try
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
        jobs = [(submission.response, *_case_fields(submission)) for submission in submissions]
        session.send(to_bytes(jobs, self.budget, not self.walled))
        readings = session.receive()
        if not isinstance(readings, list) or len(readings) != len(submissions):
            return submissions, "it was read"
        for submission, reading in zip(submissions, readings, strict=True):
            submission.record_reading(reading)
        session.pause_s = PAUSE_S if len(submissions) > 1 else 0.0
        for submission in [submission for submission in submissions if submission.stateless and submission.undecided]:
            if (outcome := session.receive()) is None:
                return [submission], ""
            submission.wall_s = session.wall_s / len(submissions)
            submission.record_outcome(outcome)
        return [], ""

    def _exchange_proofs(self, session: SandboxSession, submissions: list[Submission]) -> tuple[list[Submission], str]:
        budget = self.budget if len(submissions) > 1 else submissions[0].budget(self.budget)
        session.send(to_bytes([(submission.code, *_case_fields(submission)) for submission in submissions], budget))
        while questions := [(number, *question) for number, t in enumerate(submissions) for question in t.questions()]:
            session.send(to_bytes(*questions))
            replies = session.receive()
            if not isinstance(replies, list) or len(replies) != len(questions):
                return [submission for submission in submissions if submission.searching], ""
            for submission, answers in _group_by_submission(submissions, questions, replies):
                submission.record_answers(answers)
        session.send(to_bytes())
        return [], ""

    # ---- references ------------------------------------------------------------------------------------------------

    def _collect_evidence(self, submissions: list[Submission]) -> None:
        """Run the references that are still missing, of all these trials in one process; what ends it is run again alone. Without them
        nobody knows whether an answer deserves credit."""
        missing = [
            (submission.prepared, *about) for submission in submissions for about in submission.missing_evidence()
        ]
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

    def _behind_wall(
        self,
        submissions: Sequence[Submission],
        act: Callable[[Submission, SandboxSession | None], SandboxSession | None],
    ) -> None:
        """Run these programs behind the wall, one after the other, with one library process as long as nothing out of the ordinary
        happens to it.
        A verdict that something out of the ordinary led to is made again with a library process of its own."""
        library: SandboxSession | None = None
        try:
            for submission in submissions:
                if submission.abandoned:
                    continue
                lent, library = library, None
                used, before = lent is not None, (submission.proofs_cpu_s, submission.out_of_time)
                try:
                    library = act(submission, lent)
                except ZygoteDied:
                    self.sandbox.close(kill=True)
                    used = True
                except SandboxFault:
                    used = True
                if library is None and used:
                    submission.proofs_cpu_s, submission.out_of_time = before
                    library = self._run_blaming(submission, act, submission, None)
        finally:
            if library is not None:
                with contextlib.suppress(ZygoteDied):  # the next one who asks will see
                    library.close()

    def _run_walled(self, submission: Submission, library: SandboxSession | None) -> SandboxSession | None:
        """Run one program behind the wall; the library process, if others may use it."""
        submission.reset()
        return self._run_with_template(submission, library, truthful=True)

    def _prove_walled(self, submission: Submission, library: SandboxSession | None) -> SandboxSession | None:
        """Credit one program behind the wall; the library process, if others may use it."""
        return self._run_with_template(submission, library, truthful=False)

    def _run_with_template(
        self, submission: Submission, library: SandboxSession | None, truthful: bool
    ) -> SandboxSession | None:
        """Run a program while the library tells the truth, if it has not been, and at once while it lies, if what references do then is known:
        the processes are there."""
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
            library.give_up()  # it may wait for the template
            raise
        finally:
            self.current = ()
            template_status = template.close()
        self._check_template(template_status, template, library)
        unfinished = submission.undecided or (proof_requested and submission.searching)
        if unfinished or _ended_abnormally(outcome):
            status = library.close()
            self._check(status, library)
            if unfinished:
                during = "its library calls were answered" if outcome is None else "its modules were imported"
                ending = template_status if outcome is not None and submission.undecided else status
                submission.record_end(ending, library.blocked, library.flooded, during)
            library = None
        submission.proofs_cpu_s += cpu_s  # only now: a failure of the sandbox costs the program nothing
        submission.end_round()
        return library

    def _record_walled(self, submission: Submission, outcome: Any) -> None:
        """Take what a truthful run gave, if its candidate could be started and nobody else ended it."""
        if outcome is not None and not _template_gone(outcome):
            if (number := _ending_signal(outcome)) in FROM_OUTSIDE:
                self._check_signal(number)
            submission.record_outcome(outcome)

    def _run_lying(self, submission: Submission, library: SandboxSession) -> float:
        """Run a program as often as this round needs while the library lies; the CPU time that this took."""
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

    def _check_template(self, status: Status, template: SandboxSession, library: SandboxSession) -> None:
        try:
            self._check(status, template)
        except (SandboxFault, ZygoteDied):
            library.close()
            raise

    def _proof(self, submission: Submission, groups: list[CoreGroup]) -> Proof:
        budget = self.budget.after(submission.cpu_s, submission.cpu_s, last=True)
        if submission.stateless:
            session = self.sandbox.library(PROOFS, self.wall_s)
            session.send(to_bytes([(submission.code, *_case_fields(submission))], budget))
            session.send(to_bytes((0, *submission.question(groups))))
            replies = session.receive()
        else:
            session = self.sandbox.library(SERVE, self.wall_s)
            template = self.sandbox.template(submission.candidate_program(self.vocabulary), self.wall_s)
            session.send(to_bytes(submission.prepared.cases, budget, submission.used_names.functions, False), template)
            session.send(to_bytes(budget, submission.question(groups)))
            replies, _, _ = _read_lying_runs(session.receive(), budget)
            template.close()
        self._check(session.close(), session)
        if replies == [BELONGS_BEHIND_WALL]:
            submission.go_behind_wall()
            return self._proof(submission, groups)
        return read_proof(replies[0] if isinstance(replies, list) and replies else None)


def _read_lying_runs(reply: Any, budget: Budget) -> tuple[list[Any], float, bool]:
    """What a library process shows of a program, the CPU time of all its runs so far (all that there is, if it says nothing more), and whether
    one of them was killed."""
    try:
        return list(reply["shown"]), float(reply["cpu_s"]), bool(reply["killed"])
    except (TypeError, KeyError, ValueError):
        return [], budget.proofs, False


def _group_by_submission(
    submissions: Sequence[Submission], questions: Sequence[tuple[Any, ...]], replies: Sequence[Any]
) -> list[tuple[Submission, list[Any]]]:
    """What was said to the questions of each trial."""
    grouped: dict[int, list[Any]] = {}
    for (number, *_), answer in zip(questions, replies, strict=True):
        grouped.setdefault(number, []).append(answer)
    return [(submissions[number], answers) for number, answers in grouped.items()]


def _case_fields(submission: Submission) -> tuple[Any, ...]:
    cases = submission.prepared.cases
    return cases.entry, cases.parameters, cases.arguments


def _template_gone(outcome: Any) -> bool:
    """Whether the template ended before it could start a candidate."""
    ended = outcome.get("ended") if isinstance(outcome, dict) else None
    return isinstance(ended, dict) and ended.get("exit_code") == -1 and ended.get("signal") == 0


def _ending_signal(outcome: Any) -> int:
    """The signal that ended a candidate, as a library process tells it; 0 for none."""
    ended = outcome.get("ended") if isinstance(outcome, dict) else None
    return ended.get("signal", 0) if isinstance(ended, dict) else 0


def _ended_abnormally(outcome: Any) -> bool:
    """Whether a run ended in a way that may have to do with what the library process did before."""
    if not isinstance(outcome, dict):
        return True
    return bool(
        (outcome.get("ended") and _ending_signal(outcome) != signal.SIGSYS)
        or outcome.get("too_large")
        or (outcome.get("raised") or {}).get("type") == "MemoryError"
    )
