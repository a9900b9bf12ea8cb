"""The runner: gets the responses to every prompt in a plan, and a verdict on every response, in no particular order.

The number of concurrent requests is limited (`requester.py`), and judging overlaps with them. A request that is
abandoned after repeated failures is recorded as the provider's fault, and is sent again when the run is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import Rollout, Task, Verdict
from sebench.judge.interface import AnyJudge
from sebench.memory.conversations import ExampleRun
from sebench.memory.recall import Recall
from sebench.models.calls import run_each
from sebench.models.model import Model, Sampling
from sebench.rollout.answering import Answering, on_examples
from sebench.rollout.config import RunConfig
from sebench.rollout.requester import Pace, Requester
from sebench.rollout.store import RunWriter
from sebench.tasks import dataset, splits
from sebench.world.prompts import NATIVE, Prompt, Prompter
from sebench.world.world import World

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
            if own_tasks is None:
                tasks += map(world.task, splits.slice_of(world.task_ids(split), split, config.limit, config.seed))
            else:
                of_split = [task for task in own_tasks if task.split == split]
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

    def unanswered(self, answered: Container[str]) -> Iterator[tuple[Task, Prompt, int]]:
        """Yield the items whose responses are still missing; `answered` holds the keys of the stored responses."""
        return (item for item in self.items() if _key(*item) not in answered)


def _key(task: Task, prompt: Prompt, index: int) -> str:
    return Rollout(task.id, prompt.book, index, prompt.digest, "").key


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
    missing: int | None = None,
) -> str:
    """Do the remaining work of a plan, and return the provider's name for the model; "" if it does not report one. The
    caller creates and closes the event loop, the model, the writer and the judge.

    Responses go to the writer, and so do verdicts if there is a judge. Self-repair runs answers with the `interpreter`,
    or with the judge if there is none. Progress counts responses, of which `missing` are not stored yet (by default,
    they are counted), or verdicts if all responses are stored.
    """
    runner = _Runner(model, writer, judge, sampling or Sampling(), seed, pace or Pace(), progress)
    runner.interpreter = interpreter or judge
    await runner.run(plan, sum(1 for _ in plan.unanswered(writer.answered)) if missing is None else missing)
    return runner.requester.served


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
        self.writer, self.judge, self.progress = writer, judge, progress
        self.requester = Requester(model, sampling, seed, pace, self._tell)
        self.only_judges = False
        self.done, self.total = 0, 0  # responses, or verdicts if it only judges; also of earlier processes
        self.unjudged = 0  # responses that wait for a verdict, or are being judged
        self.interpreter = judge  # runs answers on the examples of their prompts
        self.answering: Answering

    async def run(self, plan: RolloutPlan, missing: int) -> None:
        self.total, self.answering, self.only_judges = plan.requests, plan.answering, not missing
        owed = missing or sum(1 for _ in plan.unanswered(self.writer.judged))
        self.done = self.total - owed
        # More pieces of work than concurrent requests, since some wait for verdicts or retries.
        ahead = self.judge.ahead if self.judge is not None else 0
        pieces = max(4 * self.requester.limiter.most, min(ahead, MOST_PIECES))
        await run_each(self._owed(plan), self._work, pieces)

    def _owed(self, plan: RolloutPlan) -> Iterator[tuple[Task, Prompt, int, Rollout | None]]:
        """Yield the items without a response, and those with a response but no verdict."""
        for task, prompt, index in plan.items():
            key = _key(task, prompt, index)
            if key not in self.writer.answered:
                yield task, prompt, index, None
            elif self.judge is not None and key not in self.writer.judged:
                yield task, prompt, index, self.writer.response(key)

    async def _work(self, owed: tuple[Task, Prompt, int, Rollout | None]) -> None:
        task, prompt, index, there = owed
        rollout = there or await self._answer(task, prompt, index)
        if there is None:
            self.writer.add_prompt(prompt.digest, prompt.text)
            self.writer.add_rollout(rollout)
            self.done += 1
        if self.judge is not None and not rollout.error:
            self.unjudged += 1
            self._tell()
            native = prompt.book == NATIVE
            judge = self.judge.judge_native_async if native else self.judge.judge_async
            verdict = await judge(task, rollout.response)
            self.writer.add_verdict(rollout, verdict)
            self.unjudged -= 1
            self.done += self.only_judges
        self._tell()

    def _tell(self) -> None:
        """Report progress and problems to the user."""
        waiting = [f"{self.unjudged:,} being judged"] if self.unjudged and not self.only_judges else []
        where = [self.judge.state] if self.judge is not None and self.judge.state else []
        what = "verdicts" if self.only_judges else "responses"
        self.progress(", ".join([what, *waiting, *where, *self.requester.troubles]), self.done, self.total)

    async def _answer(self, task: Task, prompt: Prompt, index: int) -> Rollout:
        """Get the answer that begins with this prompt. If it takes several requests, each reply is stored
        immediately, and an interrupted answer resumes after the last stored one."""
        talk = self.answering.conversation(task, prompt)
        if talk is None:
            one = await self.requester.respond(prompt, index)
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
                step = await self.requester.respond(next_prompt, index)
                if step.error:
                    return replace(step, prompt_digest=prompt.digest)
                self.writer.add_prompt(next_prompt.digest, request)
                self.writer.add_step(key, len(steps), step)
            steps.append(step)
            prompts += [] if isinstance(reply, Verdict) else [request]
            reply = step.response


def _combine_steps(prompt: Prompt, steps: Sequence[Rollout], answer: str, present: tuple[str, ...] | None) -> Rollout:
    """Combine the requests of one answer into one rollout."""
    return Rollout(
        prompt.task_id, prompt.book, steps[-1].sample_index, prompt.digest, answer, steps[-1].finish,
        sum(step.prompt_tokens for step in steps), sum(step.completion_tokens for step in steps),
        round(sum(step.seconds for step in steps), 3), calls=len(steps), present=present,
    )  # fmt: skip
