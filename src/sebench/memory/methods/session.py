"""A running study: it queries the writing model, has answers judged, and logs every step before starting the next.

    done = await session.step("chunk", "sums/0", read_chunk)       # a line of log.jsonl, done only once
    decision = await session.gate("curation/3", before, after, functions={"sum"}, made_from=())
    decision["accepted"]

The log is the source of truth. A step in the log is not repeated: its result is read, and everything that follows from
it is recomputed. So a killed study resumes where it stopped and ends with the same memory. Independent steps run
concurrently and are logged in order.

A prompt that the provider refuses (because it is too long) counts as an empty reply. If a provider keeps failing, the
study ends with a one-line error; the same command resumes it.

Tasks come from the training split. A tenth of them, drawn with the seed, is reserved for validation and never studied.
Test tasks are never read.

An update to the memory must pass a gate (as in GRASP, arXiv:2605.29668). The model answers a probe, a sample of
`--gate` training tasks, with the memory before and after the update, which is kept only if it corrects more answers
than it spoils. Up to half of these tasks need a function that the update is about; the others are drawn from the rest.
Without that first half hardly any update would be accepted, since a fact about one function in 300 rarely helps with a
random task. The task that an update was made from is never in its probe.

Not covered: what the steps are (`expel.py`, `ace.py`, `notes.py`), and choosing the best of several updates.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.base.ledger import lines
from sebench.base.records import Task, Verdict
from sebench.judge.judge import Judge
from sebench.memory import material
from sebench.memory.conversations import stable_detail
from sebench.memory.folder import CALLS, LOG, Memory, MemoryWriter, Snapshot
from sebench.memory.kinds import refuse_above, tokens
from sebench.memory.methods import scripted
from sebench.memory.methods.config import StudyConfig
from sebench.memory.recall import recaller_for
from sebench.models.calls import CallLog, Calls, run_each
from sebench.models.model import Completion, Model, Sampling
from sebench.world.build import Progress
from sebench.world.open_book import BookSettings
from sebench.world.prompts import CLOSED, OPEN, Prompt, Prompter
from sebench.world.world import World

ENDED = "ended"  # the last event
REJECTED = "updates that the gate rejected"
REFUSED = "refused"  # finish reason of a request that the provider refused
ANY_SIZE = 1 << 20  # assumed size in tokens of a memory without a budget; a local model caps it at its context length
Event = dict[str, Any]
Do = Callable[[], Awaitable[Event]]


@dataclass(frozen=True)
class Study:
    """The inputs of a method."""

    world: World
    config: StudyConfig
    folder: MemoryWriter
    tell: Progress


@dataclass(frozen=True)
class JudgedAnswer:
    """An answer to a training task, and its verdict."""

    answer: str
    right: bool | None  # None if the failure was not the model's fault
    verdict: str


@dataclass
class StudySession:
    """One run of a study."""

    study: Study
    calls: Calls
    judge: Judge
    counts: Counter[str] = field(default_factory=Counter)  # problems in the steps so far, by type
    at: int = 0  # number of steps done
    validation_tasks: list[Task] = field(init=False)  # a tenth of the training tasks: never studied
    every_task: list[Task] = field(init=False)  # all other training tasks, shuffled by the seed
    tasks: list[Task] = field(init=False)  # those to study, in order

    def __post_init__(self) -> None:
        config = self.study.config
        studied, self.validation_tasks = material.held_out(self.study.world, config.seed)
        self.every_task = random.Random(f"study:{config.seed}").sample(studied, len(studied))
        self.tasks = self.every_task[: config.limit or None]

    # ---- steps

    async def step(self, event: str, about: str, do: Do) -> Event:
        """Do a step and log it, or read its result from the log."""
        return (await self.steps(event, [(about, do)]))[0]

    async def steps(self, event: str, work: Sequence[tuple[str, Do]], what: str = "") -> list[Event]:
        """Run independent steps concurrently and log them in order. `what` labels the progress shown to the user."""
        events = self.study.folder.events
        there = events[self.at : self.at + len(work)]
        for line, (about, _) in zip(there, work, strict=False):
            if (line.get("event"), line.get("about")) != (event, about):
                raise ConfigError(
                    f"{self.study.folder.path}: the log has {line.get('event')} {line.get('about')} where this study "
                    f"expects {event} {about}; choose another --out"
                )
        done: dict[int, Event] = {}
        written = len(there)

        async def one(place: int) -> None:
            nonlocal written
            about, do = work[place]
            line = {"event": event, "about": about, **await do()}
            done[place] = json.loads(json.dumps(line))  # identical whether it was done now or read from the log
            while written in done:
                self.study.folder.log(**done[written])
                written += 1
            if what:
                self.progress(what, len(there) + len(done), len(work))

        await run_each(range(len(there), len(work)), one, self.calls.model.concurrency)
        result = [*there, *(done[place] for place in range(len(there), len(work)))]
        self.at += len(work)
        for line in result:
            self.counts.update(line.get("counts", {}))
            self.counts.update({REJECTED: 1} if "lost" in line and not line["accepted"] else {})
        return result

    # ---- asking

    async def say(self, text: str, about: str, seed: int = 0, book: str = CLOSED) -> str:
        """Return the model's reply, or "" if the provider refuses the prompt."""
        completion = await self.calls.ask(Prompt(text, about, book), self.study.config.seed * 1_000_003 + seed)
        if completion is None:
            raise ProviderError(
                f"the provider gave no reply for {about} (last error: {self.calls.failure}); run the same command "
                "again to resume",
                again=False,
            )
        return completion.text

    async def attempt(self, task: Task, text: str, seed: int = 0, book: str = CLOSED) -> JudgedAnswer:
        """Let the model answer a task, and judge the answer."""
        answer = await self.say(text, task.id, seed, book)
        verdict = await self.judge.judge_async(task, answer)
        credit = self.study.config.credit
        right = verdict.passed if credit == "passed" else verdict.credited
        judged = verdict.reward("passed") is not None
        return JudgedAnswer(answer, right if judged else None, describe_verdict(verdict, credit))

    # ---- prompts

    @cached_property
    def prompter(self) -> Prompter:
        """The prompter, which builds prompts as in a run. An open book shows only the needed pages."""
        return self.study.world.prompter(book=BookSettings(distractors=0), more=("memory",))

    def closed_prompt(self, task: Task, recalled: str) -> str:
        """Return the prompt as in a test: the memory, then the closed-book prompt of the task."""
        return self.prompter.prompt(task, CLOSED, recalled).text

    def pages(self, task: Task) -> str:
        """Return the pages that a task needs, or "" if the study is closed-book."""
        return self.prompter.book.pages(task) if self.study.config.study_book == OPEN else ""

    def fits(self, text: str) -> bool:
        """Whether a text is within the budget."""
        return not self.study.config.budget or tokens(text) <= self.study.config.budget

    # ---- evaluating

    async def right(self, tasks: Sequence[Task], snapshot: Snapshot) -> list[bool | None]:
        """Return, for each task, whether the model answers it correctly with a memory, prompted as in a run."""
        kind, right = recaller_for(snapshot, self.study.world.names), dict[str, bool | None]()

        async def one(task: Task) -> None:
            right[task.id] = (await self.attempt(task, self.closed_prompt(task, kind.recall(task).text))).right

        await run_each(tasks, one, self.calls.model.concurrency)
        return [right[task.id] for task in tasks]

    async def validation(self, about: str, snapshot: Snapshot) -> float:
        """Return the share of validation tasks answered correctly with the memory. Tasks without a verdict do not
        count."""

        async def do() -> Event:
            self.progress("validation tasks", 0, len(self.validation_tasks))
            return count_right(await self.right(self.validation_tasks, snapshot))

        line = await self.step("validation", about, do)
        return float(line["right"] / line["judged"]) if line["judged"] else 0.0

    async def gate(
        self, about: str, before: Snapshot, after: Snapshot, functions: Collection[str], made_from: Collection[str] = ()
    ) -> Event:
        """Decide whether to keep an update. `functions` are the original paths of the functions it is about, and
        `made_from` the ids of the tasks it was made from."""
        size = self.study.config.gate
        if not size or before.digest == after.digest:
            return {"accepted": True}
        rng = random.Random(f"gate:{self.study.config.seed}:{about}")
        tasks = [task for task in self.every_task if task.id not in made_from]
        near = [task for task in tasks if set(task.functions) & set(functions)]
        probe = rng.sample(near, min((size + 1) // 2, len(near)))
        others = [task for task in tasks if task not in probe]
        probe += rng.sample(others, min(size - len(probe), len(others)))
        was, now = await self.right(probe, before), await self.right(probe, after)
        pairs = [(a, b) for a, b in zip(was, now, strict=True) if a is not None and b is not None]
        gained, lost = sum(not a and b for a, b in pairs), sum(a and not b for a, b in pairs)
        return {"accepted": gained > lost, "probe": len(pairs), "gained": gained, "lost": lost}

    # ---- the end

    async def finish(self, snapshot: Snapshot, validated: float, **results: Any) -> Memory:
        """Save the snapshot and the results of the study."""
        most_tokens = recaller_for(snapshot, self.study.world.names).most_tokens()
        refuse_above(self.study.config.budget, most_tokens, "the longest text of the memory", "raise --budget")

        async def do() -> Event:
            ends = Counter(reply["finish"] for reply in self.calls.log.there.values())
            of_replies = {"prompts refused": ends[REFUSED], "replies that ended at max_tokens": ends["length"]}
            troubles = {**self.counts, **{what: count for what, count in of_replies.items() if count}}
            return {"validation": round(validated, 4), "troubles": dict(sorted(troubles.items())), **results}

        await self.step(ENDED, self.study.folder.about.method, do)
        return self.study.folder.save(snapshot, self.calls.log.spent(self.calls.name), finished=True)

    def progress(self, what: str, done: int, total: int) -> None:
        troubles = ", ".join(f"{count:,} {name}" for name, count in sorted(self.counts.items()))
        self.study.tell(f"{what}, {troubles}" if troubles else what, done, total)


class _Refusals:
    """A model whose refusals count as empty replies. They are logged like other replies, so a resumed study sees the
    same ones."""

    def __init__(self, model: Model, workers: int) -> None:
        """Wrap a model. `workers` is the number of concurrent requests; 0 uses the default for this kind of model."""
        self.model, self.concurrency = model, workers or max(model.concurrency, 1)
        self.announced = False

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        try:
            return await self.model.complete(prompt, sampling, seed)
        except PromptRefused as error:
            if not self.announced:
                self.announced = True
                print(f"note: {error}; this counts as an empty reply", file=sys.stderr, flush=True)
            return Completion("", REFUSED)

    async def close(self) -> None:
        await self.model.close()


StudyFunction = Callable[[StudySession], Awaitable[Memory]]


def run(study: Study, method: StudyFunction) -> Memory:
    """Run a study to its end, opening its model, its judge and its call log."""
    config = study.config

    async def go() -> Memory:
        model = scripted.load(config.writer(), study.world, config.budget or ANY_SIZE)
        try:
            with CallLog(study.folder.path / CALLS) as log, Judge(study.world) as judge:
                sampling = Sampling(config.temperature, max_tokens=config.max_tokens)
                calls = Calls(log, _Refusals(model, config.workers), config.model, sampling)
                return await method(StudySession(study, calls, judge))
        finally:
            await model.close()

    return asyncio.run(go())


def outcome(folder: Path) -> Event:
    """Return the results of a finished study (validation accuracy, counts of problems), or {} if no model studied."""
    *_, last = [{}, *(line for _, line in lines(folder / LOG))]
    return last if last.get("event") == ENDED else {}


def describe_verdict(verdict: Verdict, credit: str = "targeted") -> str:
    """Return a verdict in words."""
    if verdict.passed and verdict.targeted is False and credit == "targeted":
        return "right, but not by the functions of the library that the task is about"
    kind = verdict.kind.replace("_", " ")
    return f"{kind}: {stable_detail(verdict.detail)}" if verdict.detail else kind


def count_right(right: Iterable[bool | None]) -> Event:
    """Count the correct answers among those with a verdict."""
    judged = [one for one in right if one is not None]
    return {"right": sum(judged), "judged": len(judged)}
