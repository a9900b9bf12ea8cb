"""Requests the proposals for a round of self-play, based only on the pages, and runs the gates on them: those in
`author/`, in several processes, and two that compare drafts with each other and with the test tasks.

    proposals = await propose(world, calls, requests, kept, seed, progress)

    with Gates(world, seed, workers) as gates:
        passed = gates.pass_through(proposals, log, progress)       # proposals that passed, with their tasks, in order

Each proposal is one model call with the prompt from `author/`: the page, the available input generators, and the
questions about the function that this self-play run has kept so far. The prompt contains no question from the bank,
neither from the training split nor from a test split. Every reply is stored in a `CallLog`, so that an interrupted
round repeats no request.

All gates except `duplicate` and `guard` look at a single draft: it goes through them in one worker process, which has
its own judge. `guard` is the guard of training runs (`train/data/guard.py`): a self-made question that happens to be a
test question is rejected.

Every result is written to a `GateLog` immediately, together with the task of a draft that passed, so a process that is
killed loses only the work in progress.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from multiprocessing import get_context, util
from typing import Any, Self

from sebench.author import proposals
from sebench.author.gates import GUARD, OFFLINE, GateResult, KnownQuestions, OfflineGates
from sebench.author.pipeline import GateLog
from sebench.author.proposals import Proposal
from sebench.base import child, kernel_memory
from sebench.base.errors import ConfigError, ProviderError, SandboxFault
from sebench.base.records import Task
from sebench.base.wording import counted
from sebench.judge.judge import Judge
from sebench.models.calls import Calls
from sebench.tasks import dataset, splits
from sebench.train.data.guard import Guard
from sebench.train.data.tokens import TrainingRow
from sebench.train.proposals.selection import JudgedQuestion
from sebench.world.prompts import CLOSED, templates_folder
from sebench.world.world import World

TIER = "single"
EARLIER_QUESTIONS = 12  # maximum number of kept questions that a function's prompt shows
DUPLICATE = "duplicate"
SINGLE_DRAFT_GATES = tuple(gate for gate in OFFLINE if gate != DUPLICATE)
GATES = (*SINGLE_DRAFT_GATES, DUPLICATE, GUARD)
DRAFTS_PER_WORKER = 8  # minimum drafts per process for which another process is worthwhile
Progress = Callable[[str, int, int], None]


async def propose(
    world: World,
    calls: Calls,
    requests: Sequence[tuple[str, int]],
    kept: Sequence[JudgedQuestion],
    seed: int,
    progress: Progress,
) -> list[Proposal]:
    """Return the replies in order. A request is a function and a number, which is unique per function in a self-play
    run. If a provider fails, an error is raised, and the same command resumes. A prompt that the model refuses (because
    it is too long) gets an empty reply, which passes no gate; if all prompts are refused, the settings are wrong and an
    error is raised."""
    done = 0

    async def reply(function: str, number: int) -> Proposal | None:
        nonlocal done
        earlier = [question.question for question in kept if function in question.functions][-EARLIER_QUESTIONS:]
        prompt = proposals.prompt(world, function, TIER, number, earlier, seed, bank=False)
        completion, key = await calls.ask(prompt, seed + number), calls.key(prompt, seed + number)
        done += 1
        progress("proposals", done, len(requests))
        if completion is None and key not in calls.refused:
            return None
        return Proposal(function, number, completion.text if completion else "", calls.name, key)

    replies = await asyncio.gather(*(reply(*request) for request in requests))
    if missing := replies.count(None):
        raise ProviderError(
            f"{missing:,} of {counted(len(replies), 'proposal')} failed ({calls.failure}); run the same command again "
            "to retry them",
            again=False,
        )
    if len(calls.refused) == len(requests):
        raise ConfigError(f"the proposer {calls.name} refused every prompt: {calls.failure}")
    return [proposal for proposal in replies if proposal is not None]


@dataclass(frozen=True)
class GateResults:
    """The results of the single-draft gates, and the task of a draft that passed them."""

    results: tuple[tuple[str, GateResult, float], ...]  # gate, result, seconds
    task: Mapping[str, Any] | None  # as JSON


class Gates:
    """The gates of one world, for all rounds of a self-play run."""

    def __init__(self, world: World, seed: int, workers: int = 0, prompts: str = "") -> None:
        """`prompts` are the templates of the training runs that follow; the guard checks a question in these and in the
        default templates."""
        self.world, self.seed = world, seed
        self.workers = workers or os.cpu_count() or 1
        self.known_questions = KnownQuestions(world)
        self.prompters = [world.prompter(templates_folder(chosen)) for chosen in dict.fromkeys(("", prompts))]
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._resources.close()

    def remember(
        self, log_lines: Iterable[Mapping[str, Any]], counts: Callable[[str], bool] = lambda key: True
    ) -> None:
        """Register the questions in these log lines that passed the duplicate gate, so that later drafts must differ
        from them. `counts` filters proposals by their keys."""
        counted = [data for data in log_lines if counts(data["key"])]
        tasks = {data["key"]: data["task"] for data in counted if "task" in data}
        for data in counted:
            if data["gate"] == DUPLICATE and data["passed"] and data["key"] in tasks:
                self.known_questions.add(tasks[data["key"]]["entry"], tasks[data["key"]]["question"])

    def pass_through(self, drafts: Sequence[Proposal], log: GateLog, progress: Progress) -> list[tuple[Proposal, Task]]:
        """Return the drafts that pass all gates, each with its task."""
        undecided = [draft for draft in drafts if not _is_decided(draft, log)]
        done = len(drafts) - len(undecided)
        for proposal, gated in self._check_single_drafts(undecided):
            for gate, result, seconds in gated.results:
                line = {"key": proposal.key, "gate": gate, **asdict(result), "s": round(seconds, 4)}
                log.add(line | ({"task": gated.task} if gate == SINGLE_DRAFT_GATES[-1] and result.passed else {}))
            done += 1
            progress("drafts checked", done, len(drafts))
        passed = []
        for proposal in drafts:
            last = log.there.get((proposal.key, SINGLE_DRAFT_GATES[-1]))
            if last and last["passed"]:
                task = dataset.from_json(last["task"], self.world.manifest.matched_names)
                if self._is_new_and_clean(proposal, task, log):
                    passed.append((proposal, task))
        return passed

    # ---- gates for a single draft ------------------------------------------------------------------------------

    def _check_single_drafts(self, drafts: Sequence[Proposal]) -> Any:
        workers = min(self.workers, len(drafts) // DRAFTS_PER_WORKER)
        if workers < 2:
            yield from ((proposal, run_gates(self._workshop, proposal)) for proposal in drafts)
            return
        kills = kernel_memory.kernel_kills()
        # spawn, not fork: this process may have threads and a GPU
        with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (self.world, self.seed)) as pool:
            try:
                pending = {pool.submit(_run_gates_here, proposal): proposal for proposal in drafts}
                yield from ((pending[future], future.result()) for future in as_completed(pending))
            except BrokenProcessPool:
                raise SandboxFault(
                    f"one of the {workers} gate processes {child.how_killed(kills)}; run the same command again "
                    "to resume, perhaps with fewer --workers"
                ) from None
            finally:
                pool.shutdown(cancel_futures=True)

    @cached_property
    def _workshop(self) -> OfflineGates:
        return _open_workshop(self._resources, self.world, self.seed)

    @cached_property
    def _guard(self) -> Guard:
        return Guard(self.world)

    # ---- gates that compare drafts ---------------------------------------------------------------------------------

    def _is_new_and_clean(self, proposal: Proposal, task: Task, log: GateLog) -> bool:
        """Whether a draft is not a duplicate and contains no part of a test task."""
        gates: dict[str, Callable[[], GateResult]] = {
            DUPLICATE: lambda: self.known_questions.check_duplicate(proposals.read(proposal, TIER)),
            GUARD: lambda: self._guard_gate(task),
        }
        for gate, decide in gates.items():
            result = log.result(proposal, gate)
            if result is None:
                began = time.perf_counter()
                result = decide()
                log.add(
                    {"key": proposal.key, "gate": gate, **asdict(result), "s": round(time.perf_counter() - began, 4)}
                )
            elif gate == DUPLICATE and result.passed:
                self.known_questions.add(task.entry, task.question)
            if not result.passed:
                return False
        return True

    def _guard_gate(self, task: Task) -> GateResult:
        leak = self.leaked_test(task, f"```python\n{task.gold}```")
        return GateResult.reject("shows a test task", leak) if leak else GateResult(True)

    def leaked_test(self, task: Task, answer: str) -> str:
        """Return which part of a test task this question with this answer contains, or "" if none."""
        return self.first_leak(
            TrainingRow(task.id, prompter.prompt(task, CLOSED), answer) for prompter in self.prompters
        )

    def first_leak(self, rows: Iterable[TrainingRow]) -> str:
        """Return the first part of a test task in these rows, or "" if there is none."""
        first = next((finding for row in rows for finding in self._guard.findings(row)), None)
        return f"the {first.leak} of '{first.task}' of {first.split}: {first.excerpt}" if first else ""


def _open_workshop(resources: ExitStack, world: World, seed: int, workers: int = 0) -> OfflineGates:
    """Create the single-draft gates, together with a judge of their own."""
    judge = resources.enter_context(Judge(world, workers=workers))
    return OfflineGates(world, judge, resources.enter_context(world.library()), TIER, seed)


def run_gates(workshop: OfflineGates, proposal: Proposal) -> GateResults:
    """Run a draft through the single-draft gates."""
    results: list[tuple[str, GateResult, float]] = []
    for gate in SINGLE_DRAFT_GATES:
        began = time.perf_counter()
        result = workshop.decide(proposal, gate)
        results.append((gate, result, time.perf_counter() - began))
        if not result.passed:
            return GateResults(tuple(results), None)
    task = replace(workshop.task(proposals.read(proposal, TIER)), split=splits.TRAIN)
    return GateResults(tuple(results), dataset.to_json(task, workshop.world.manifest.matched_names))


def _is_decided(proposal: Proposal, log: GateLog) -> bool:
    """Whether the log shows that one of the single-draft gates rejected the draft, or that all of them passed it."""
    for gate in SINGLE_DRAFT_GATES:
        result = log.result(proposal, gate)
        if result is None or not result.passed:
            return result is not None
    return "task" in log.there[proposal.key, SINGLE_DRAFT_GATES[-1]]


# ---- in a child process ----------------------------------------------------------------------------------

_WORKSHOPS: list[OfflineGates] = []
_OPEN = ExitStack()  # open for the life of the process: closing it makes the package unimportable


def _start_worker(world: World, seed: int) -> None:
    child.end_with_parent()
    util.Finalize(None, _OPEN.close, exitpriority=100)  # a pool process does not run atexit handlers
    _WORKSHOPS.append(_open_workshop(_OPEN, world, seed, workers=1))


def _run_gates_here(proposal: Proposal) -> GateResults:
    return run_gates(_WORKSHOPS[0], proposal)
