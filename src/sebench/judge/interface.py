"""The interface of every judge: in this process (`judge.py`) or on a cluster (`sebench.remote.ray`).

A judge belongs to a world and accepts answers through `submit`; everything else here is built on that. Runs and
imported rollouts need nothing else.
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
        """How many answers to keep in flight; with fewer, some workers would be idle."""

    @abstractmethod
    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        """Return a future for the verdict; queued answers are judged together. `native`: the response uses NumPy."""

    @abstractmethod
    def missing_layers(self, required: bool = False) -> list[str]:
        """Return the isolation layers that do not work where this judge runs. With `required`, raise ConfigError if
        there are any."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources. Queued answers are cancelled."""

    @property
    def state(self) -> str:
        """Return a status line to show while waiting for verdicts; "" if there is nothing to report."""
        return ""

    def judge(self, task: Task | str, response: str) -> Verdict:
        """Return the verdict on one response."""
        return self.submit(task, response).result()

    def judge_many(self, pairs: Iterable[tuple[Task | str, str]]) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs. `ahead` answers are judged concurrently, and input is read only
        that far ahead."""
        return self._in_order(self.submit(task, response) for task, response in pairs)

    def judge_rollouts(self, pairs: Iterable[tuple[Task, Rollout]]) -> Iterator[Verdict]:
        """Like `judge_many`, for rollouts; each is judged according to its book."""
        return self._in_order(self.submit(task, one.response, one.book == NATIVE) for task, one in pairs)

    def as_judged(self, pairs: Iterable[tuple[Task, Rollout]]) -> Iterator[tuple[Rollout, Verdict]]:
        """Yield rollouts with their verdicts in the order in which they finish, so that a slow one does not hold up the
        others."""
        done: SimpleQueue[tuple[Rollout, Future[Verdict]]] = SimpleQueue()
        under_way = 0

        def submit_one(task: Task, rollout: Rollout) -> None:
            future = self.submit(task, rollout.response, rollout.book == NATIVE)
            future.add_done_callback(lambda ended: done.put((rollout, ended)))

        for task, rollout in pairs:
            submit_one(task, rollout)
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
        """Return the verdict without blocking asyncio's event loop."""
        return await asyncio.wrap_future(self.submit(task, response))

    def judge_native(self, task: Task | str, response: str) -> Verdict:
        """Return the verdict on an answer written in NumPy, which is translated into the world's names, judged like any
        other, and also run with NumPy (`Verdict.numpy_passed`)."""
        return self.submit(task, response, native=True).result()

    async def judge_native_async(self, task: Task | str, response: str) -> Verdict:
        """Like `judge_native`, without blocking asyncio's event loop."""
        return await asyncio.wrap_future(self.submit(task, response, native=True))

    def reward(self, task: Task | str, response: str, credit: str = "targeted") -> float | None:
        """Return 1.0 for a credited answer, 0.0 for any other, or None for a failure that is not the candidate's fault.

        `credit="passed"` accepts any use of the library, which a policy can learn to fake (docs/judge.md).
        """
        return self.judge(task, response).reward(credit)

    async def rewards(self, pairs: Iterable[tuple[Task | str, str]], credit: str = "targeted") -> list[float | None]:
        """Return the rewards of a batch, in order. The batch is judged together, without blocking asyncio's event
        loop."""
        verdicts = await asyncio.gather(*(self.judge_async(task, response) for task, response in pairs))
        return [verdict.reward(credit) for verdict in verdicts]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
