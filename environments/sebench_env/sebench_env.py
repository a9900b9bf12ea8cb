"""SE-Bench as an environment for verifiers 0.4: a task set with the judge's verdict as its reward.

A task carries its id, its prompt, and the fingerprint of its world; the judge is that of the process. An answer is
judged once, for the reward and its metrics together. A fault that is not the candidate's raises, which verifiers
records as an error of the rollout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from sebench import SebenchError, World
from sebench.interop.frameworks import scoring
from sebench.interop.frameworks.questions import address, questions

__all__ = ["SebenchTaskset"]


class SebenchData(vf.TaskData):
    """What a task carries."""

    world: str  # fingerprint
    address: str  # a seed or a folder
    split: str
    book: str
    credit: str = "targeted"


class SebenchTask(vf.Task[SebenchData]):
    """A question, and its reward."""

    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        """1.0 for an answer that is credited."""
        worth = await self._score(trace.last_reply)
        if worth.passed is None:
            raise SebenchError(f"the answer could not be judged: {worth.detail}")
        for name in ("passed", "targeted"):
            value = getattr(worth, name)
            if value is not None:
                trace.record_metric(name, value)
        reward = worth.passed if self.data.credit == "passed" else worth.targeted
        return 0.0 if reward is None else reward

    async def validate(self, runtime: Any) -> bool | None:
        """Whether the judge credits the task's own answer."""
        judge = scoring.judge_of(self.data.address, self.data.world)
        task = scoring.shared_judge(self.data.address).world.task(str(self.data.id))
        gold = await scoring.await_verdict(scoring.submit(judge, task.id, task.gold, "closed"))
        return bool(scoring.AnswerScore.of(gold).targeted)

    async def _score(self, response: str) -> scoring.AnswerScore:
        judge = scoring.judge_of(self.data.address, self.data.world)
        future = scoring.submit(judge, str(self.data.id), response, self.data.book)
        return scoring.AnswerScore.of(await scoring.await_verdict(future))


class SebenchConfig(vf.TasksetConfig):
    """The settings under --env.taskset."""

    world: str = "7"
    split: str = "train"
    book: str = "closed"
    credit: str = "targeted"
    distractors: int = 8


class SebenchTaskset(vf.Taskset[SebenchTask, SebenchConfig]):
    """The questions of some splits of a world."""

    def load(self) -> Iterator[SebenchTask]:
        config = self.config
        if config.credit not in ("targeted", "passed"):
            raise SebenchError(f"credit = {config.credit!r}: targeted or passed")
        world = World.open(config.world)
        where = {"world": world.manifest.fingerprint, "address": address(config.world)}
        for one in questions(world, config.split, config.book, distractors=config.distractors):
            about = {"id": one.task, "prompt": one.prompt, "split": one.split, "book": one.book}
            yield SebenchTask(SebenchData(**about, **where, credit=config.credit), config.task)
