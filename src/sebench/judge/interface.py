"""What a judge is, wherever it judges: in this process (`judge.py`), or on a cluster (`sebench.remote.ray`).

A judge has a world and takes answers by `submit`; everything else here follows from that. Runs and imported rollouts ask for no more.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Self

from sebench.base.records import Rollout, Task, Verdict
from sebench.world.prompts import NATIVE
from sebench.world.world import World


class AnyJudge(ABC):
    """Judges answers for one world."""

    world: World
    profile: str

    @property
    @abstractmethod
    def ahead(self) -> int:
        """How many answers it likes to have at a time: with fewer, a part of it is idle."""

    @abstractmethod
    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        """The verdict as a future, judged together with others that wait. `native`: the response is in NumPy."""

    @abstractmethod
    def missing_layers(self, required: bool = False) -> list[str]:
        """The isolation layers that do not hold where it judges; a ConfigError where all of them are required."""

    @abstractmethod
    def close(self) -> None:
        """Give everything back. What waits is cancelled."""

    @property
    def state(self) -> str:
        """What a person who waits may want to know of it; "" where there is nothing to say."""
        return ""

    def judge(self, task: Task | str, response: str) -> Verdict:
        """The verdict on one response."""
        return self.submit(task, response).result()

    def judge_many(self, pairs: Iterable[tuple[Task | str, str]]) -> Iterator[Verdict]:
        """Verdicts in the order of the pairs, several at a time; only some pairs are read ahead."""
        return self._in_order(self.submit(task, response) for task, response in pairs)

    def judge_rollouts(self, pairs: Iterable[tuple[Task, Rollout]]) -> Iterator[Verdict]:
        """The same for rollouts, each judged as its book asks for."""
        return self._in_order(self.submit(task, one.response, one.book == NATIVE) for task, one in pairs)

    def as_judged(self, pairs: Iterable[tuple[Task, Rollout]]) -> Iterator[tuple[Rollout, Verdict]]:
        """Rollouts with their verdicts as soon as they are judged: one that takes long keeps no other from being written down."""
        done: SimpleQueue[tuple[Rollout, Future[Verdict]]] = SimpleQueue()
        under_way = 0

        def submitted(task: Task, rollout: Rollout) -> None:
            future = self.submit(task, rollout.response, rollout.book == NATIVE)
            future.add_done_callback(lambda ended: done.put((rollout, ended)))

        for task, rollout in pairs:
            submitted(task, rollout)
            under_way += 1
            while under_way >= self.ahead or not done.empty():
                ended, verdict = done.get()
                under_way -= 1
                yield ended, verdict.result()
        for _ in range(under_way):
            ended, verdict = done.get()
            yield ended, verdict.result()

    def _in_order(self, futures: Iterable[Future[Verdict]]) -> Iterator[Verdict]:
        waiting: deque[Future[Verdict]] = deque()
        for future in futures:
            waiting.append(future)
            if len(waiting) >= self.ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    async def judge_async(self, task: Task | str, response: str) -> Verdict:
        """The verdict, without blocking asyncio's event loop."""
        return await asyncio.wrap_future(self.submit(task, response))

    def judge_native(self, task: Task | str, response: str) -> Verdict:
        """The verdict on an answer in NumPy: it is translated into the world's terms and judged like any other, and also run with NumPy
        (`Verdict.numpy_passed`)."""
        return self.submit(task, response, native=True).result()

    async def judge_native_async(self, task: Task | str, response: str) -> Verdict:
        """The same, without blocking asyncio's event loop."""
        return await asyncio.wrap_future(self.submit(task, response, native=True))

    def reward(self, task: Task | str, response: str, credit: str = "targeted") -> float | None:
        """1.0 for an answer that is credited, 0.0 for one that is not, None for a fault that is not the candidate's.

        `credit="passed"` is content with any use of the library, which a policy learns to fake (docs/judge.md).
        """
        return self.judge(task, response).reward(credit)

    async def rewards(self, pairs: Iterable[tuple[Task | str, str]], credit: str = "targeted") -> list[float | None]:
        """The rewards of a batch, in order; judged together, without blocking asyncio's event loop."""
        verdicts = await asyncio.gather(*(self.judge_async(task, response) for task, response in pairs))
        return [verdict.reward(credit) for verdict in verdicts]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
