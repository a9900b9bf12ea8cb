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

    def _runs(self, trials: Sequence[Submission]) -> None:
        """From here on these run; somebody may have given them up before."""
        self.current = trials
        self._give_up()

    def _give_up(self) -> None:
        """End what runs if nobody wants it; also called from other threads."""
        if self.current and all(trial.abandoned for trial in self.current):
            self.sandbox.give_up()

    def decide(self, trials: Sequence[Submission]) -> None:
        """Bring every trial to its verdict."""
        for trial in trials:
            trial.on_abandon = self._give_up
        for trial in trials:
            if trial.native and trial.verdict is None and not trial.abandoned:
                self._blamed(trial, self._translate, trial)
        waiting = [trial for trial in trials if trial.verdict is None]
        while waiting := [trial for trial in waiting if not trial.abandoned]:
            for suspect in self._suspects(self._together, waiting) if len(waiting) > 1 else waiting:
                self._blamed(suspect, self._together, [suspect])
            self._behind_wall(
                [trial for trial in waiting if trial.undecided and trial.code and not trial.stateless], self._run_walled
            )
            waiting = [trial for trial in waiting if trial.undecided]
        self._prove([trial for trial in trials if trial.owes_proof and not trial.abandoned])

    def _prove(self, trials: list[Submission]) -> None:
        """Credit right answers, in as many rounds as they need: nearly all follow gold, and need one."""
        while waiting := [trial for trial in trials if trial.owes_proof and not trial.abandoned]:
            self._refer(waiting)
            for trial in waiting:
                trial.begin_proof()
            in_time = [trial for trial in waiting if self._has_time(trial)]
            stateless, walled = ([trial for trial in in_time if trial.stateless is one] for one in (True, False))
            quick = [trial for trial in stateless if trial.cpu_s < QUICK * self.budget.shared]
            suspects = self._suspects(self._prove_together, quick) if len(quick) > 1 else quick
            for trial in [*suspects, *(trial for trial in stateless if trial not in quick)]:
                if not trial.abandoned:
                    self._blamed(trial, self._prove_together, [trial])
            self._behind_wall(walled, self._prove_walled)
            for trial in waiting:
                trial.end_round()
            self._behind_wall([trial for trial in waiting if trial.undecided], self._run_walled)

    def _has_time(self, trial: Submission) -> bool:
        """Whether there is CPU time left for a run in which the library lies."""
        enough = trial.budget(self.budget).proofs >= LEAST_PROOF_CPU_S
        trial.late = trial.late or not enough
        return enough

    def _suspects(
        self, act: Callable[[list[Submission]], list[Submission]], trials: list[Submission]
    ) -> list[Submission]:
        """Run these together; those that must run alone. A fault that several share is nobody's yet."""
        try:
            return self._tried(act, trials)
        except SandboxFault:
            return [trial for trial in trials if trial.verdict is None]

    def _blamed(self, trial: Submission, act: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Do something for one trial; a fault of the sandbox becomes its verdict, and that of no other."""
        try:
            return self._tried(act, *args, **options)
        except SandboxFault as fault:
            trial.verdict = Verdict(Kind.FAULT, Blame.SANDBOX, detail=str(fault))
            return None

    def prove(self, trial: Submission, groups: list[CoreGroup]) -> Proof:
        """For a right answer, which function of each group matters. The trial must have been decided before."""
        return self._tried(self._proof, trial, groups)

    def _tried(self, act: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
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

    def _translate(self, trial: Submission) -> None:
        """Have an answer in NumPy translated, and run with NumPy. How its process ends says something of the sandbox only as long as the
        program has not begun."""
        session = self.sandbox.native(self.wall_s)
        self._runs([trial])
        said, begun = None, False
        try:
            session.send(to_bytes(trial.response, *_case_fields(trial), self.budget))
            reading = session.receive()
            if isinstance(reading, dict) and reading.get("kind") is None and session.receive(SMALL_FRAME) == BEGUN:
                begun, said = True, session.receive(SMALL_FRAME)  # from here on the program may write what it likes
                session.give_up()
        finally:
            self.current = ()
            status = session.close()
        trial.wall_s = session.wall_s
        if not begun:
            self._check(status, session)
        elif said is None:
            self._check_end(status, session)
        if reading is not None:
            trial.take_translation(reading, said, ran=begun)
            return
        trial.ended(status, session.blocked, session.flooded, "it was read")

    # ---- stateless programs ----------------------------------------------------------------------------------------

    def _together(self, trials: list[Submission]) -> list[Submission]:
        """Read these responses and run the stateless ones in one process. Those that may have ended it before its time; if there is only one,
        that is its verdict."""
        for trial in trials:  # it may be a second try
            trial.begin_again()
        return self._in_session(PROGRAMS, trials, self._converse)

    def _prove_together(self, trials: list[Submission]) -> list[Submission]:
        """Credit these stateless programs in one process."""
        trials = [trial for trial in trials if trial.owes_proof]  # the others went behind the wall in an earlier try
        for trial in trials:
            trial.begin_proof()
        return self._in_session(PROOFS, trials, self._ask_for_proofs)

    def _in_session(
        self,
        request: bytes,
        trials: list[Submission],
        converse: Callable[[SandboxSession, list[Submission]], tuple[list[Submission], str]],
    ) -> list[Submission]:
        session = self.sandbox.library(request, self.wall_s)
        self._runs(trials)
        try:
            suspects, during = converse(session, trials)
        finally:
            self.current = ()
            status = session.close()
        if suspects:
            self._check(status, session)
        if len(trials) == 1 and request == PROOFS:
            trials[0].proofs_cpu_s += status.cpu_s
        if suspects and len(trials) == 1:
            trials[0].wall_s += session.wall_s
            trials[0].ended(status, session.blocked, session.flooded, during)
        return suspects

    def _converse(self, session: SandboxSession, trials: list[Submission]) -> tuple[list[Submission], str]:
        jobs = [(trial.response, *_case_fields(trial)) for trial in trials]
        session.send(to_bytes(jobs, self.budget, not self.walled))
        readings = session.receive()
        if not isinstance(readings, list) or len(readings) != len(trials):
            return trials, "it was read"
        for trial, reading in zip(trials, readings, strict=True):
            trial.take_reading(reading)
        session.pause_s = PAUSE_S if len(trials) > 1 else 0.0
        for trial in [trial for trial in trials if trial.stateless and trial.undecided]:
            if (said := session.receive()) is None:
                return [trial], ""
            trial.wall_s = session.wall_s / len(trials)
            trial.take_outcome(said)
        return [], ""

    def _ask_for_proofs(self, session: SandboxSession, trials: list[Submission]) -> tuple[list[Submission], str]:
        budget = self.budget if len(trials) > 1 else trials[0].budget(self.budget)
        session.send(to_bytes([(trial.code, *_case_fields(trial)) for trial in trials], budget))
        while questions := [(number, *question) for number, t in enumerate(trials) for question in t.questions()]:
            session.send(to_bytes(*questions))
            said = session.receive()
            if not isinstance(said, list) or len(said) != len(questions):
                return [trial for trial in trials if trial.searching], ""
            for trial, answers in _group_by_submission(trials, questions, said):
                trial.take_answers(answers)
        session.send(to_bytes())
        return [], ""

    # ---- references ------------------------------------------------------------------------------------------------

    def _refer(self, trials: list[Submission]) -> None:
        """Run the references that are still missing, of all these trials in one process; what ends it is run again alone. Without them
        nobody knows whether an answer deserves credit."""
        missing = [(trial.prepared, *about) for trial in trials for about in trial.missing_evidence()]
        why = ""
        for jobs in (missing, *([job] for job in missing)):
            if todo := list(dict.fromkeys(job for job in jobs if job[1:] not in job[0].evidence)):
                try:
                    self._tried(self._run_references, todo)
                except SandboxFault as fault:
                    why = str(fault)
        for trial in trials:
            if why and trial.missing_evidence():
                trial.verdict = Verdict(Kind.FAULT, Blame.SANDBOX, detail=why)

    def _run_references(self, jobs: Sequence[tuple[PreparedTask, Reference, tuple[str, ...]]]) -> None:
        session = self.sandbox.library(REFERENCES, self.wall_s)
        said: Any = None
        try:
            session.send(to_bytes(*(prepared.reference_job(ref, variants) for prepared, ref, variants in jobs)))
            for prepared, ref, variants in jobs:
                if (said := session.receive()) is None:
                    break
                prepared.take_reference(ref, variants, said)
        finally:
            status = session.close()
        if said is None:
            self._check_end(status, session)
            if len(jobs) == 1:
                prepared.take_reference(ref, variants, None)

    # ---- programs behind the wall ----------------------------------------------------------------------------------

    def _behind_wall(
        self, trials: Sequence[Submission], act: Callable[[Submission, SandboxSession | None], SandboxSession | None]
    ) -> None:
        """Run these programs behind the wall, one after the other, with one library process as long as nothing out of the ordinary
        happens to it.
        A verdict that something out of the ordinary led to is made again with a library process of its own."""
        library: SandboxSession | None = None
        try:
            for trial in trials:
                if trial.abandoned:
                    continue
                lent, library = library, None
                used, before = lent is not None, (trial.proofs_cpu_s, trial.late)
                try:
                    library = act(trial, lent)
                except ZygoteDied:
                    self.sandbox.close(kill=True)
                    used = True
                except SandboxFault:
                    used = True
                if library is None and used:
                    trial.proofs_cpu_s, trial.late = before
                    library = self._blamed(trial, act, trial, None)
        finally:
            if library is not None:
                with contextlib.suppress(ZygoteDied):  # the next one who asks will see
                    library.close()

    def _run_walled(self, trial: Submission, library: SandboxSession | None) -> SandboxSession | None:
        """Run one program behind the wall; the library process, if others may use it."""
        trial.begin_again()
        return self._wall(trial, library, truthful=True)

    def _prove_walled(self, trial: Submission, library: SandboxSession | None) -> SandboxSession | None:
        """Credit one program behind the wall; the library process, if others may use it."""
        return self._wall(trial, library, truthful=False)

    def _wall(self, trial: Submission, library: SandboxSession | None, truthful: bool) -> SandboxSession | None:
        """Run a program while the library tells the truth, if it has not been, and at once while it lies, if what references do then is known:
        the processes are there."""
        library = library or self.sandbox.library(SERVE, self.wall_s)
        template = self.sandbox.template(trial.job(self.vocabulary), self.wall_s)
        self._runs([trial])
        outcome: Any = {}
        asked, cpu_s = False, 0.0
        try:
            library.begin()
            library.send(to_bytes(trial.prepared.cases, self.budget, trial.named.functions, truthful), template)
            if truthful:
                outcome = library.receive()
                trial.wall_s = library.wall_s
                self._take_walled(trial, outcome)
            if trial.owes_proof and not trial.missing_evidence():
                trial.begin_proof()
                asked = self._has_time(trial)
                cpu_s = self._ask_walled(trial, library) if asked else 0.0
            library.send(b"")
        except BaseException:
            library.give_up()  # it may wait for the template
            raise
        finally:
            self.current = ()
            template_status = template.close()
        self._check_template(template_status, template, library)
        unfinished = trial.undecided or (asked and trial.searching)
        if unfinished or _ended_abnormally(outcome):
            status = library.close()
            self._check(status, library)
            if unfinished:
                during = "its library calls were answered" if outcome is None else "its modules were imported"
                of = template_status if outcome is not None and trial.undecided else status
                trial.ended(of, library.blocked, library.flooded, during)
            library = None
        trial.proofs_cpu_s += cpu_s  # only now: a failure of the sandbox costs the program nothing
        trial.end_round()
        return library

    def _take_walled(self, trial: Submission, outcome: Any) -> None:
        """Take what a truthful run gave, if its candidate could be started and nobody else ended it."""
        if outcome is not None and not _template_gone(outcome):
            if (number := _ending_signal(outcome)) in FROM_OUTSIDE:
                self._check_signal(number)
            trial.take_outcome(outcome)

    def _ask_walled(self, trial: Submission, library: SandboxSession) -> float:
        """Run a program as often as this round needs while the library lies; the CPU time that this took."""
        spent = 0.0
        while questions := trial.questions():
            budget = trial.budget(self.budget, spent)
            library.send(to_bytes(budget, *questions))
            shown, cpu_s, killed = _read_lying_runs(library.receive(), budget)
            spent += cpu_s
            if killed:
                self._check_signal(signal.SIGKILL)
            if len(shown) != len(questions):
                break
            trial.take_answers(shown)
        return spent

    def _check_template(self, status: Status, template: SandboxSession, library: SandboxSession) -> None:
        try:
            self._check(status, template)
        except (SandboxFault, ZygoteDied):
            library.close()
            raise

    def _proof(self, trial: Submission, groups: list[CoreGroup]) -> Proof:
        budget = self.budget.after(trial.cpu_s, trial.cpu_s, last=True)
        if trial.stateless:
            session = self.sandbox.library(PROOFS, self.wall_s)
            session.send(to_bytes([(trial.code, *_case_fields(trial))], budget))
            session.send(to_bytes((0, *trial.question(groups))))
            said = session.receive()
        else:
            session = self.sandbox.library(SERVE, self.wall_s)
            template = self.sandbox.template(trial.job(self.vocabulary), self.wall_s)
            session.send(to_bytes(trial.prepared.cases, budget, trial.named.functions, False), template)
            session.send(to_bytes(budget, trial.question(groups)))
            said, _, _ = _read_lying_runs(session.receive(), budget)
            template.close()
        self._check(session.close(), session)
        if said == [BELONGS_BEHIND_WALL]:
            trial.go_behind_wall()
            return self._proof(trial, groups)
        return read_proof(said[0] if isinstance(said, list) and said else None)


def _read_lying_runs(said: Any, budget: Budget) -> tuple[list[Any], float, bool]:
    """What a library process shows of a program, the CPU time of all its runs so far (all that there is, if it says nothing more), and whether
    one of them was killed."""
    try:
        return list(said["shown"]), float(said["cpu_s"]), bool(said["killed"])
    except (TypeError, KeyError, ValueError):
        return [], budget.proofs, False


def _group_by_submission(
    trials: Sequence[Submission], questions: Sequence[tuple[Any, ...]], said: Sequence[Any]
) -> list[tuple[Submission, list[Any]]]:
    """What was said to the questions of each trial."""
    found: dict[int, list[Any]] = {}
    for (number, *_), answer in zip(questions, said, strict=True):
        found.setdefault(number, []).append(answer)
    return [(trials[number], answers) for number, answers in found.items()]


def _case_fields(trial: Submission) -> tuple[Any, ...]:
    cases = trial.prepared.cases
    return cases.entry, cases.parameters, cases.arguments


def _template_gone(said: Any) -> bool:
    """Whether the template ended before it could start a candidate."""
    ended = said.get("ended") if isinstance(said, dict) else None
    return isinstance(ended, dict) and ended.get("exit_code") == -1 and ended.get("signal") == 0


def _ending_signal(said: Any) -> int:
    """The signal that ended a candidate, as a library process tells it; 0 for none."""
    ended = said.get("ended") if isinstance(said, dict) else None
    return ended.get("signal", 0) if isinstance(ended, dict) else 0


def _ended_abnormally(said: Any) -> bool:
    """Whether a run ended in a way that may have to do with what the library process did before."""
    if not isinstance(said, dict):
        return True
    return bool(
        (said.get("ended") and _ending_signal(said) != signal.SIGSYS)
        or said.get("too_large")
        or (said.get("raised") or {}).get("type") == "MemoryError"
    )
