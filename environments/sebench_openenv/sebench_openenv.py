"""SE-Bench as an environment for OpenEnv 0.3: an episode is one question and one answer, rewarded by the judge.

    SEBENCH_WORLD=7 uvicorn --factory sebench_openenv:app

All sessions share the judge of the process. An answer that could not be judged has no reward: None, never 0; it may be
given again. Any other answer ends its episode: what the verdict says must not help with the same question.
"""

from __future__ import annotations

import os
import random
from typing import Any
from uuid import uuid4

from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

from sebench import SebenchError, World
from sebench.interop.frameworks import scoring
from sebench.interop.frameworks.questions import TaskPrompt, address, questions


class Answer(Action):
    """What a model said."""

    response: str


class Asked(Observation):
    """A question; after the answer also what became of it."""

    prompt: str
    task: str
    split: str
    book: str
    passed: float | None = None
    targeted: float | None = None
    kind: str = ""
    detail: str = ""


class SebenchEnvironment(Environment[Answer, Asked, State]):
    """The questions of some splits of a world with one book."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, world: World, where: str, asked: dict[str, TaskPrompt], credit: str) -> None:
        super().__init__()
        self.world, self.where, self.asked, self.credit = world, where, asked, credit
        self.question: TaskPrompt | None = None
        self._ended = False
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, task: str | None = None, **others: Any
    ) -> Asked:
        """A question: that of a task, or the one that the seed draws."""
        if task is not None and task not in self.asked:
            raise SebenchError(f"no task '{task}' among the {len(self.asked)} that this server asks")
        self._ended = False
        self.question = self.asked[task or random.Random(seed).choice(sorted(self.asked))]
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return self._shown(self.question)

    def step(self, action: Answer, timeout_s: float | None = None, **others: Any) -> Asked:
        return self._judged(self._submit(action).result(timeout_s))

    async def step_async(self, action: Answer, timeout_s: float | None = None, **others: Any) -> Asked:
        return self._judged(await scoring.await_verdict(self._submit(action)))

    @property
    def state(self) -> State:
        return self._state

    def _submit(self, action: Answer) -> Any:
        if self.question is None:
            raise SebenchError("no question was asked yet; call reset first")
        if self._ended:
            raise SebenchError("this question was answered; call reset for another")
        self._ended = True
        judge = scoring.judge_of(self.where, self.world.manifest.fingerprint)
        return scoring.submit(judge, self.question.task, action.response, self.question.book)

    def _judged(self, verdict: Any) -> Asked:
        assert self.question is not None
        self._state.step_count += 1
        worth = scoring.AnswerScore.of(verdict)
        self._ended = worth.passed is not None
        told = {"passed": worth.passed, "targeted": worth.targeted, "kind": worth.kind, "detail": worth.detail}
        return self._shown(self.question, done=self._ended, reward=getattr(worth, self.credit), **told)

    def _shown(self, one: TaskPrompt, **more: Any) -> Asked:
        return Asked(prompt=one.prompt, task=one.task, split=one.split, book=one.book, **more)


def app() -> Any:
    """The server, for `uvicorn --factory`; its settings are environment variables."""
    named = os.environ.get("SEBENCH_WORLD", "7")
    credit = os.environ.get("SEBENCH_CREDIT", "targeted")
    if credit not in ("targeted", "passed"):
        raise SebenchError(f"SEBENCH_CREDIT = {credit!r}: targeted or passed")
    world = World.open(named)
    found = questions(world, os.environ.get("SEBENCH_SPLIT", "train"), os.environ.get("SEBENCH_BOOK", "closed"))
    asked, where = {one.task: one for one in found}, address(named)
    return create_fastapi_app(
        lambda: SebenchEnvironment(world, where, asked, credit), Answer, Asked, max_concurrent_envs=256
    )
