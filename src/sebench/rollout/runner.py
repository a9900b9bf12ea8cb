"""The runner: every prompt of a plan gets its responses, and every response its verdict, in no particular order.

Work is bounded: so many requests at a time, and verdicts that overlap with them. A request that fails for a passing reason is tried again after
a growing pause; a provider that asks for less gets less (half the requests at a time, then slowly more). What is given up is recorded as the
provider's fault, never as a wrong answer, and is owed again when the run goes on. What can never work (a wrong key, an unknown
model) ends the run at once with one clear line.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sebench.errors import ProviderError
from sebench.judge.judge import Judge
from sebench.records import Rollout, Task
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Model, Sampling
from sebench.rollout.prompts import Prompt, Prompter
from sebench.store import Writer
from sebench.world import World

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0
STOP_AFTER = 20  # requests given up one after the other: then the provider is down, and the run ends

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Plan:
    """What a run has to do."""

    prompter: Prompter
    tasks: Sequence[Task]
    books: Sequence[str]
    samples: int

    @classmethod
    def make(cls, config: RunConfig, world: World, prompter: Prompter) -> Plan:
        tasks: list[Task] = []
        for split in config.split:
            found = list(world.tasks(split))
            if config.limit and config.limit < len(found):
                chosen = set(random.Random(f"limit:{config.seed}:{split}").sample(range(len(found)), config.limit))
                found = [task for i, task in enumerate(found) if i in chosen]
            tasks += found
        return cls(prompter, tasks, config.book, config.samples)

    @property
    def requests(self) -> int:
        return len(self.tasks) * len(self.books) * self.samples

    def items(self) -> Iterator[tuple[Prompt, int]]:
        """Every prompt with every sample index, made when it is asked for."""
        for book in self.books:
            for task in self.tasks:
                prompt = self.prompter.prompt(task, book)
                for index in range(self.samples):
                    yield prompt, index


class Gate:
    """How many requests may be under way: as many as asked for, fewer while the provider complains."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.allowed = float(most)
        self.busy = 0
        self.until = 0.0  # nobody starts before
        self._free = asyncio.Condition()

    async def __aenter__(self) -> None:
        async with self._free:
            await self._free.wait_for(lambda: self.busy < int(self.allowed))
            self.busy += 1
        while (pause := self.until - time.monotonic()) > 0:
            await asyncio.sleep(pause)

    async def __aexit__(self, *error: object) -> None:
        async with self._free:
            self.busy -= 1
            self._free.notify()

    def complained(self, wait_s: float) -> None:
        """The provider asked for less: half as many at a time, and nobody for so long."""
        self.allowed = max(1.0, self.allowed / 2)
        self.until = max(self.until, time.monotonic() + wait_s)

    async def answered(self) -> None:
        """The provider keeps up: one more at a time after as many answers as are under way."""
        if self.allowed < self.most:
            self.allowed = min(float(self.most), self.allowed + 1 / max(self.allowed, 1.0))
            async with self._free:
                self._free.notify()


class Runner:
    """Runs a plan with a model; responses go to the writer, verdicts too where there is a judge."""

    def __init__(
        self, config: RunConfig, model: Model, writer: Writer, judge: Judge | None, progress: Progress
    ) -> None:
        self.config, self.model, self.writer, self.judge, self.progress = config, model, writer, judge, progress
        self.sampling = Sampling(config.temperature, config.top_p, config.max_tokens)
        self.gate = Gate(config.workers or model.concurrency)
        self.done = self.given_up = self.in_a_row = 0
        self.total = 0
        self.last_error = ""

    async def run(self, plan: Plan) -> None:
        """Do what is left of the plan."""
        self.total = plan.requests
        owed = self._owed(plan)
        # Twice as many workers as requests under way: the others wait for verdicts.
        workers = [asyncio.create_task(self._work(owed)) for _ in range(2 * self.gate.most)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            await self.model.close()

    def _owed(self, plan: Plan) -> Iterator[tuple[Prompt, int, Rollout | None]]:
        """What has no response yet, and what has one but no verdict."""
        for prompt, index in plan.items():
            key = Rollout(prompt.task.id, prompt.book, index, prompt.digest, "").key
            there = self.writer.responses.get(key)
            if there is None or (self.judge is not None and key not in self.writer.judged):
                yield prompt, index, there
            else:
                self._count()

    async def _work(self, owed: Iterator[tuple[Prompt, int, Rollout | None]]) -> None:
        for prompt, index, there in owed:  # one iterator for all workers: nothing is held in memory
            rollout = there or await self._respond(prompt, index)
            if there is None:
                self.writer.add_rollout(rollout)
            if self.judge is not None and not rollout.error:
                verdict = await self.judge.judge_async(prompt.task, rollout.response)
                self.writer.add_verdict(rollout, verdict)
            self._count()

    def _count(self) -> None:
        self.done += 1
        self.progress(f"{self.given_up} given up" if self.given_up else "responses", self.done, self.total)

    async def _respond(self, prompt: Prompt, index: int) -> Rollout:
        seed = self.config.seed * 1_000_003 + index
        pauses = random.Random(f"pause:{prompt.digest}:{index}")
        for attempt in range(self.config.tries):
            try:
                async with self.gate:
                    start = time.monotonic()  # inside the gate: waiting for our turn is not the model's time
                    said = await self.model.complete(prompt, self.sampling, seed)
                    seconds = time.monotonic() - start
                await self.gate.answered()
                self.in_a_row = 0
                return Rollout(
                    prompt.task.id, prompt.book, index, prompt.digest, said.text, said.finish,
                    said.prompt_tokens, said.completion_tokens, round(seconds, 3),
                )  # fmt: skip
            except ProviderError as error:
                if not error.again:
                    raise
                self.last_error = str(error)
                if error.wait_s:
                    self.gate.complained(error.wait_s)
                pause = min(FIRST_PAUSE_S * 2**attempt, LONGEST_PAUSE_S) * pauses.uniform(0.5, 1.5)
                if attempt + 1 < self.config.tries:
                    await asyncio.sleep(max(pause, error.wait_s))
        self.given_up += 1
        self.in_a_row += 1
        if self.in_a_row >= STOP_AFTER:
            raise ProviderError(
                f"{self.in_a_row} requests in a row were given up, the last with: {self.last_error}; the same command continues",
                again=False,
            )
        return Rollout(prompt.task.id, prompt.book, index, prompt.digest, "", "error", error=self.last_error)
