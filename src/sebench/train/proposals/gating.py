"""The gates of a round: those of `author/`, in several processes, and two that compare drafts with one another and with the test tasks.

    with Gates(world, seed, workers) as gates:
        passed = gates.pass_through(proposals, log, tell)       # the tasks of drafts that passed, in the order of the proposals

All gates but `duplicate` and `guard` look at one draft alone: a draft goes through them in one process, which has a judge of its own.
`guard` is that of trainings (`train/data/guard.py`): a self-made question may by chance be a test question, and nothing of it is learnt then.

Everything is in a `GateLog` as soon as it is known, the task of a draft with it: a kill costs what was under way.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context, util
from typing import Any, Self

from sebench.author import proposals
from sebench.author.gates import GUARD, OFFLINE, Asked, Result, Workshop
from sebench.author.pipeline import GateLog
from sebench.author.proposals import Proposal
from sebench.base import child, kernel_memory
from sebench.base.errors import ConfigError, SandboxFault
from sebench.base.records import Task
from sebench.judge.judge import Judge
from sebench.tasks import dataset, splits
from sebench.train.data.guard import Guard
from sebench.train.data.rows import TrainingRow
from sebench.train.proposals.proposing import TIER
from sebench.world.prompts import CLOSED, templates_folder
from sebench.world.world import World

DUPLICATE = "duplicate"
SINGLE_DRAFT_GATES = tuple(gate for gate in OFFLINE if gate != DUPLICATE)
GATES = (*SINGLE_DRAFT_GATES, DUPLICATE, GUARD)
FAILED = "the gate itself failed"
DRAFTS_PER_WORKER = 8  # drafts for which a further process is worth its start
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class GateResults:
    """What the gates that look at one draft alone said, and the task of a draft that passed them."""

    results: tuple[tuple[str, Result, float], ...]  # gate, result, seconds
    task: Mapping[str, Any] | None  # as a line


class Gates:
    """The gates of one world, for all rounds of a play."""

    def __init__(self, world: World, seed: int, workers: int = 0, prompts: str = "") -> None:
        """`prompts` are the templates of the trainings that follow; the guard reads a question in them, and in those that show examples."""
        self.world, self.seed = world, seed
        self.workers = workers or os.cpu_count() or 1
        self.known_questions = Asked(world)
        self.prompters = [world.prompter(templates_folder(chosen)) for chosen in dict.fromkeys(("", prompts))]
        self._guard: Guard | None = None
        self._resources = ExitStack()
        self._own_workshop: Workshop | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._resources.close()

    def remember(self, told: Iterable[Mapping[str, Any]], counts: Callable[[str], bool] = lambda key: True) -> None:
        """What passed the gate against duplicates before, by the lines of a log: later drafts must differ from it. `counts` says of which
        proposals, by their keys."""
        found = [data for data in told if counts(data["key"])]
        tasks = {data["key"]: data["task"] for data in found if "task" in data}
        for data in found:
            if data["gate"] == DUPLICATE and data["passed"] and data["key"] in tasks:
                self.known_questions.add(tasks[data["key"]]["entry"], tasks[data["key"]]["question"])

    def pass_through(self, found: Sequence[Proposal], log: GateLog, tell: Progress) -> list[tuple[Proposal, Task]]:
        """The proposals that pass, each with its task."""
        owed = [one for one in found if not _is_decided(one, log)]
        done = len(found) - len(owed)
        for proposal, looked in self._check_single_drafts(owed):
            for gate, result, seconds in looked.results:
                told = {"key": proposal.key, "gate": gate, **asdict(result), "s": round(seconds, 4)}
                log.add(told | ({"task": looked.task} if gate == SINGLE_DRAFT_GATES[-1] and result.passed else {}))
            done += 1
            tell("drafts tried", done, len(found))
        passed = []
        for proposal in found:
            last = log.there.get((proposal.key, SINGLE_DRAFT_GATES[-1]))
            if last and last["passed"]:
                task = dataset.from_json(last["task"], self.world.manifest.matched_names)
                if self._is_new_and_clean(proposal, task, log):
                    passed.append((proposal, task))
        return passed

    # ---- one draft alone --------------------------------------------------------------------------------------

    def _check_single_drafts(self, owed: Sequence[Proposal]) -> Any:
        workers = min(self.workers, len(owed) // DRAFTS_PER_WORKER)
        if workers < 2:
            yield from ((proposal, run_gates(self._workshop(), proposal)) for proposal in owed)
            return
        kills = kernel_memory.kernel_kills()
        # spawn, not fork: this process may hold threads and a GPU
        with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (self.world, self.seed)) as pool:
            try:
                waiting = {pool.submit(_run_gates_here, proposal): proposal for proposal in owed}
                yield from ((waiting[one], one.result()) for one in as_completed(waiting))
            except BrokenProcessPool:
                raise SandboxFault(
                    f"one of the {workers} processes of the gates {child.how_killed(kills)}; the same command continues, "
                    "perhaps with fewer --workers"
                ) from None
            finally:
                pool.shutdown(cancel_futures=True)

    def _workshop(self) -> Workshop:
        if self._own_workshop is None:
            judge = self._resources.enter_context(Judge(self.world))
            self._own_workshop = Workshop(
                self.world, judge, self._resources.enter_context(self.world.library()), TIER, self.seed
            )
        return self._own_workshop

    # ---- drafts beside others ---------------------------------------------------------------------------------

    def _is_new_and_clean(self, proposal: Proposal, task: Task, log: GateLog) -> bool:
        """Whether a draft is new, and shows nothing of a test task."""
        for gate, decide in ((DUPLICATE, self._duplicate_gate), (GUARD, self._guard_gate)):
            result = log.result(proposal, gate)
            if result is None:
                began = time.perf_counter()
                result = decide(proposal, task)
                log.add(
                    {"key": proposal.key, "gate": gate, **asdict(result), "s": round(time.perf_counter() - began, 4)}
                )
            elif gate == DUPLICATE and result.passed:
                self.known_questions.add(task.entry, task.question)
            if not result.passed:
                return False
        return True

    def _duplicate_gate(self, proposal: Proposal, task: Task) -> Result:
        return self.known_questions.duplicate(proposals.read(proposal, TIER))

    def _guard_gate(self, proposal: Proposal, task: Task) -> Result:
        found = self.leaked_test(task, f"```python\n{task.gold}```")
        return Result(True) if not found else Result.rejected("shows a test task", found)

    def leaked_test(self, task: Task, answer: str) -> str:
        """What a question with this answer shows of a test task; "" if nothing."""
        return self.first_leak(
            TrainingRow(task.id, prompter.prompt(task, CLOSED), answer) for prompter in self.prompters
        )

    def first_leak(self, rows: Iterable[TrainingRow]) -> str:
        """What the first of these rows that shows something of a test task shows; "" if none does."""
        self._guard = self._guard or Guard(self.world)
        first = next((finding for row in rows for finding in self._guard.findings(row)), None)
        return f"the {first.what} of '{first.task}' of {first.split}: {first.shown}" if first else ""


def run_gates(shop: Workshop, proposal: Proposal) -> GateResults:
    """A draft at the gates that need nothing but it."""
    results: list[tuple[str, Result, float]] = []
    for gate in SINGLE_DRAFT_GATES:
        began = time.perf_counter()
        result = _run_gate(shop, proposal, gate)
        results.append((gate, result, time.perf_counter() - began))
        if not result.passed:
            return GateResults(tuple(results), None)
    task = replace(shop.task(proposals.read(proposal, TIER)), split=splits.TRAIN)
    return GateResults(tuple(results), dataset.to_json(task, shop.world.manifest.matched_names))


def _run_gate(shop: Workshop, proposal: Proposal, gate: str) -> Result:
    """What a gate says. One that fails on a strange draft rejects it, and the funnel shows our mistake: a play of hours does not end, on
    every resume, for one draft in hundreds. What is not the draft's (the sandbox, the disk) is raised."""
    try:
        return shop.offline(proposal, gate)
    except (SandboxFault, ConfigError):
        raise
    except Exception as error:
        return Result.rejected(FAILED, repr(error))


def _is_decided(proposal: Proposal, log: GateLog) -> bool:
    """Whether all that can be said of a draft alone is there."""
    for gate in SINGLE_DRAFT_GATES:
        result = log.result(proposal, gate)
        if result is None or not result.passed:
            return result is not None
    return "task" in log.there[proposal.key, SINGLE_DRAFT_GATES[-1]]


# ---- in a process of its own ----------------------------------------------------------------------------------

_SHOPS: list[Workshop] = []
_OPEN = ExitStack()  # as long as the process: once it is collected, the package is no longer imported


def _start_worker(world: World, seed: int) -> None:
    child.end_with_parent()
    util.Finalize(None, _OPEN.close, exitpriority=100)  # such a process ends without atexit
    judge = _OPEN.enter_context(Judge(world, workers=1))
    _SHOPS.append(Workshop(world, judge, _OPEN.enter_context(world.library()), TIER, seed))


def _run_gates_here(proposal: Proposal) -> GateResults:
    return run_gates(_SHOPS[0], proposal)
