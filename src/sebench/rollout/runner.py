"""The runner: gets the responses to every prompt of a plan, and a verdict on every response, in no particular order.

The number of concurrent requests is limited, and judging overlaps with them. A request that fails temporarily is
retried with backoff; a provider that asks for fewer requests gets half as many, then slowly more. A request that is
given up is recorded as the provider's fault, never as a wrong answer, and is sent again when the run is resumed. A
permanent failure (a wrong key, an unknown model) ends the run at once with one clear line.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.base.records import REFUSED, Rollout, Task, Verdict
from sebench.base.retry import Retries, ask_until_answered
from sebench.judge.interface import AnyJudge
from sebench.memory.conversations import ExampleRun
from sebench.memory.recall import Recall
from sebench.models.calls import run_each
from sebench.models.model import Model, Sampling
from sebench.rollout.answering import Answering, on_examples
from sebench.rollout.config import RunConfig
from sebench.rollout.store import RunWriter
from sebench.tasks import dataset, splits
from sebench.world.prompts import NATIVE, Prompt, Prompter
from sebench.world.world import World

STOP_AFTER = 20  # requests given up in a row, after which the provider counts as down and the run ends
MOST_PIECES = 16_384  # most items in memory at a time, even if a large cluster could take more; each is a few kilobytes

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class RolloutPlan:
    """Everything a run has to ask: the tasks, the books (documentation settings) and the number of samples."""

    answering: Answering
    tasks: Sequence[Task]
    books: Sequence[str]
    samples: int

    @classmethod
    def make(cls, config: RunConfig, world: World, prompter: Prompter, recall: Recall | None = None) -> RolloutPlan:
        own_tasks = dataset.read(Path(config.tasks), world.manifest.matched_names) if config.tasks else None
        tasks: list[Task] = []
        for split in config.split:
            of_split = world.tasks(split) if own_tasks is None else [task for task in own_tasks if task.split == split]
            tasks += splits.slice_of(of_split, split, config.limit, config.seed)
        return cls(Answering(world, prompter, recall, config.repair), tasks, config.book, config.samples)

    @property
    def requests(self) -> int:
        """The number of answers; each takes one request, or several with self-repair and with some memories."""
        return len(self.tasks) * len(self.books) * self.samples

    def items(self) -> Iterator[tuple[Task, Prompt, int]]:
        """Yield every task with its prompt and every sample index."""
        for book in self.books:
            for task in self.tasks:
                prompt = self.answering.first(task, book)
                for index in range(self.samples):
                    yield task, prompt, index

    def owes(self, answered: Container[str]) -> bool:
        """Whether any response is still missing, given those that are stored."""
        return any(_key(*item) not in answered for item in self.items())


def _key(task: Task, prompt: Prompt, index: int) -> str:
    return Rollout(task.id, prompt.book, index, prompt.digest, "").key


class RequestLimiter:
    """Limits concurrent requests to the configured number, or to fewer while the provider asks for fewer.

    Only `enter` waits, so that a cancellation cannot lose a finished response.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.allowed = float(most)
        self.busy = 0
        self._until = 0.0  # no request starts before this time
        self._lowered_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def pause_s(self) -> float:
        """How many seconds no request may start, because the provider asked for a pause."""
        return max(self._until - time.monotonic(), 0.0)

    async def enter(self) -> float:
        """Wait for a free slot; returns the start time of the request."""
        while True:
            if self.pause_s:
                await asyncio.sleep(self.pause_s)
            elif self.busy < int(self.allowed):
                self.busy += 1
                self._wake()  # after a pause there may be several free slots
                return time.monotonic()
            else:
                turn = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                try:
                    await turn
                except asyncio.CancelledError:
                    self._wake()  # this request may already have been granted a slot
                    raise

    def leave(self) -> None:
        """Release the slot."""
        self.busy -= 1
        self._wake()

    def slow_down(self, started: float, wait_s: float) -> None:
        """Halve the limit because the provider asked for fewer requests, and start none for `wait_s`.

        Complaints about requests that ran at the same time count as one.
        """
        now = time.monotonic()
        self._until = max(self._until, now + wait_s)
        if started >= self._lowered_at:
            self.allowed, self._lowered_at = max(1.0, self.allowed / 2), now

    def speed_up(self) -> None:
        """Raise the limit by one after as many answers as the limit, since the provider keeps up."""
        if self.allowed < self.most:
            self.allowed = min(float(self.most), self.allowed + 1 / self.allowed)

    def _wake(self) -> None:
        while self._waiting and self.busy < int(self.allowed):
            if not (turn := self._waiting.popleft()).done():
                turn.set_result(None)
                return


@dataclass(frozen=True)
class Pace:
    """Concurrency and retries."""

    workers: int = 0  # concurrent requests; 0 lets the model decide
    tries: int = 6  # attempts per request before it is given up


@dataclass(frozen=True)
class RolloutSummary:
    """The outcome of a rollout."""

    given_up: int  # requests to which the provider returned no response
    served_model: str  # the provider's name for the model; "" if it does not report one


async def rollout(
    plan: RolloutPlan,
    model: Model,
    writer: RunWriter,
    judge: AnyJudge | None = None,
    *,
    sampling: Sampling | None = None,
    seed: int = 0,
    pace: Pace | None = None,
    progress: Progress = lambda what, done, total: None,
    interpreter: AnyJudge | None = None,
) -> RolloutSummary:
    """Do the remaining work of a plan. The caller creates and closes the event loop, the model, the writer and the
    judge.

    Responses go to the writer, and so do verdicts if there is a judge. Self-repair runs answers with the `interpreter`,
    or else with the judge.
    """
    runner = _Runner(model, writer, judge, sampling or Sampling(), seed, pace or Pace(), progress)
    runner.interpreter = interpreter or judge
    await runner.run(plan)
    return RolloutSummary(runner.given_up, runner.served)


class _Runner:
    """Runs one rollout."""

    def __init__(
        self,
        model: Model,
        writer: RunWriter,
        judge: AnyJudge | None,
        sampling: Sampling,
        seed: int,
        pace: Pace,
        progress: Progress,
    ) -> None:
        self.model, self.writer, self.judge, self.progress = model, writer, judge, progress
        self.sampling, self.seed, self.tries = sampling, seed, pace.tries
        self.limiter = RequestLimiter(pace.workers or model.concurrency)
        self.done = self.retried = self.given_up = self.in_a_row = 0
        self.total = 0
        self.served = ""  # the provider's name for its model
        self.refused = ""  # digest of the last refused prompt
        self.interpreter = judge  # runs answers on the examples of their prompts
        self.answering: Answering

    async def run(self, plan: RolloutPlan) -> None:
        self.total, self.answering = plan.requests, plan.answering
        # More pieces of work than concurrent requests, since some wait for verdicts or retries.
        ahead = self.judge.ahead if self.judge is not None else 0
        pieces = max(4 * self.limiter.most, min(ahead, MOST_PIECES))
        await run_each(self._owed(plan), self._work, pieces)

    def _owed(self, plan: RolloutPlan) -> Iterator[tuple[Task, Prompt, int, Rollout | None]]:
        """Yield the items without a response, and those with a response but no verdict."""
        for task, prompt, index in plan.items():
            key = _key(task, prompt, index)
            if key not in self.writer.answered:
                yield task, prompt, index, None
            elif self.judge is not None and key not in self.writer.judged:
                yield task, prompt, index, self.writer.response(key)
            else:
                self._count()

    async def _work(self, owed: tuple[Task, Prompt, int, Rollout | None]) -> None:
        task, prompt, index, there = owed
        rollout = there or await self._answer(task, prompt, index)
        if there is None:
            self.writer.add_prompt(prompt.digest, prompt.text)
            self.writer.add_rollout(rollout)
        if self.judge is not None and not rollout.error:
            native = prompt.book == NATIVE
            judge = self.judge.judge_native_async if native else self.judge.judge_async
            verdict = await judge(task, rollout.response)
            self.writer.add_verdict(rollout, verdict)
        self._count()

    def _count(self) -> None:
        self.done += 1
        self._tell()

    def _tell(self) -> None:
        """Report progress and problems to the user."""
        troubles = [f"{self.retried} retried"] if self.retried else []
        troubles += [f"{self.given_up} given up"] if self.given_up else []
        troubles += [f"the provider asks to wait {self.limiter.pause_s:.0f} s"] if self.limiter.pause_s >= 1 else []
        where = [self.judge.state] if self.judge is not None and self.judge.state else []
        self.progress(", ".join(["responses", *where, *troubles]), self.done, self.total)

    async def _answer(self, task: Task, prompt: Prompt, index: int) -> Rollout:
        """Get the answer that begins with this prompt. If it takes several requests, each is stored at once, and an
        interrupted answer resumes after the last stored one."""
        talk = self.answering.conversation(task, prompt)
        if talk is None:
            one = await self._respond(prompt, index)
            return replace(one, present=self.answering.present(task, [prompt.text]))
        key = _key(task, prompt, index)
        steps: list[Rollout] = []
        prompts: list[str] = []  # without repair prompts, which repeat the model's own answer
        tried = on_examples(task)
        reply: Any = None
        while True:
            try:
                request = talk.send(reply)
            except StopIteration as stop:
                return _combine_steps(prompt, steps, str(stop.value), self.answering.present(task, prompts))
            if isinstance(request, ExampleRun):
                if self.interpreter is None:
                    raise ConfigError("self-repair needs a judge to run the answers, but there is none")
                reply = await self.interpreter.judge_async(tried, request.response)
                continue
            next_prompt = Prompt(request, task.id, prompt.book)
            step = self.writer.step(key, len(steps), next_prompt.digest)
            if step is None:
                step = await self._respond(next_prompt, index)
                if step.error:
                    return replace(step, prompt_digest=prompt.digest)
                self.writer.add_prompt(next_prompt.digest, request)
                self.writer.add_step(key, len(steps), step)
            steps.append(step)
            prompts += [] if isinstance(reply, Verdict) else [request]
            reply = step.response

    async def _respond(self, prompt: Prompt, index: int) -> Rollout:
        """Return the response to a prompt, or the failure of the last attempt."""
        retries = Retries(self.tries, seed=f"{prompt.digest}:{index}")
        try:
            return await ask_until_answered(lambda: self._request(prompt, index), retries, self._failed)
        except ProviderError as failure:
            if not failure.again and not isinstance(failure, PromptRefused):
                raise
            return self._give_up(prompt, index, failure)

    async def _request(self, prompt: Prompt, index: int) -> Rollout:
        started = await self.limiter.enter()
        try:
            completion = await self.model.complete(prompt, self.sampling, self.seed * 1_000_003 + index)
        except ProviderError as error:
            if error.again and error.wait_s:
                self.limiter.slow_down(started, error.wait_s)
            raise
        else:
            self.limiter.speed_up()
        finally:
            self.limiter.leave()
        self.in_a_row = 0
        self.served = completion.model or self.served
        return Rollout(
            prompt.task_id, prompt.book, index, prompt.digest, completion.text, completion.finish,
            completion.prompt_tokens, completion.completion_tokens, round(time.monotonic() - started, 3),
        )  # fmt: skip

    def _failed(self, error: ProviderError, again: bool) -> None:
        if again:
            self.retried += 1
            self._tell()

    def _give_up(self, prompt: Prompt, index: int, failure: ProviderError) -> Rollout:
        """Record a request that failed for good; end the run if too many do in a row."""
        self.given_up += 1
        if not isinstance(failure, PromptRefused) or prompt.digest != self.refused:
            self.in_a_row += 1  # further samples of the same refused prompt do not count
        self.refused = prompt.digest if isinstance(failure, PromptRefused) else ""
        if self.in_a_row >= STOP_AFTER:
            raise ProviderError(
                f"{self.in_a_row} requests in a row were given up, the last one with: {failure}; repeat the "
                "command to resume",
                again=False,
            )
        finish = REFUSED if isinstance(failure, PromptRefused) else "error"
        return Rollout(prompt.task_id, prompt.book, index, prompt.digest, "", finish, error=str(failure))


def _combine_steps(prompt: Prompt, steps: Sequence[Rollout], answer: str, present: tuple[str, ...] | None) -> Rollout:
    """Combine the requests of one answer into one rollout."""
    return Rollout(
        prompt.task_id, prompt.book, steps[-1].sample_index, prompt.digest, answer, steps[-1].finish,
        sum(step.prompt_tokens for step in steps), sum(step.completion_tokens for step in steps),
        round(sum(step.seconds for step in steps), 3), calls=len(steps), present=present,
    )  # fmt: skip
