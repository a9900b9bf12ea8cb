"""Sends the requests of a rollout: a limited number at a time, each with its own retries.

Called by the runner of a run, and by the commands for the published scripts (`interop/formats/query.py`).

A request that fails temporarily is retried with backoff; a provider that asks for fewer requests gets half as many,
then slowly more. A request that fails for good becomes a `Rollout` with an error: the provider's fault, never a wrong
answer. A permanent failure (a wrong key, an unknown model) raises an error, and so does giving up many requests in a
row.

Not covered: storing the responses.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from sebench.base.errors import AnswerMissing, PromptRefused, ProviderError
from sebench.base.records import REFUSED, Rollout
from sebench.base.retry import Retries, ask_until_answered
from sebench.models.model import Model, Sampling
from sebench.world.prompts import Prompt

SEEDS_PER_RUN = 1_000_003  # a run's samples have consecutive seeds, which no run with another seed uses
STOP_AFTER = 20  # requests that failed in a row, after which the provider counts as down and the run ends


class RequestLimiter:
    """Limits concurrent requests to the configured number, or to fewer while the provider throttles them.

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
        """For how many seconds no request may start, because the provider asked for a pause."""
        return max(self._until - time.monotonic(), 0.0)

    async def enter(self, again: bool = False) -> float:
        """Wait for a free slot; return the start time of the request. A request that is sent `again` goes before those
        that were not sent yet, so that a provider that always fails is given up after a few."""
        while True:
            if self.pause_s:
                await asyncio.sleep(self.pause_s)
            elif self.busy < int(self.allowed):
                self.busy += 1
                self._wake()  # after a pause there may be several free slots
                return time.monotonic()
            else:
                turn = asyncio.get_running_loop().create_future()
                (self._waiting.appendleft if again else self._waiting.append)(turn)
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

        Several such replies to requests that ran at the same time count as one.
        """
        now = time.monotonic()
        self._until = max(self._until, now + wait_s)
        if started >= self._lowered_at:
            self.allowed, self._lowered_at = max(1.0, self.allowed / 2), now

    def speed_up(self) -> None:
        """Raise the limit gradually, by one for every `allowed` answers, while the provider keeps up."""
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

    workers: int = 0  # concurrent requests; 0 uses the model's default
    tries: int = 6  # attempts per request before giving up


class Requester:
    """Sends prompts to a model, with retries."""

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        seed: int,
        pace: Pace,
        retrying: Callable[[], None] = lambda: None,
    ) -> None:
        """`retrying` is called before each retry."""
        self.model, self.sampling, self.seed, self.tries = model, sampling, seed, pace.tries
        self.limiter = RequestLimiter(pace.workers or model.concurrency)
        self.retrying = retrying
        self.retried = self.given_up = self.in_a_row = 0
        self.explained = False  # why requests are retried
        self.served = ""  # the provider's name for its model
        self.refused = ""  # digest of the last refused prompt

    @property
    def troubles(self) -> list[str]:
        """Messages about retries, failures and pauses, for the user."""
        troubles = [f"{self.retried} retried"] if self.retried else []
        troubles += [f"{self.given_up} failed"] if self.given_up else []
        return troubles + (
            [f"the provider asks us to wait {self.limiter.pause_s:.0f} s"] if self.limiter.pause_s >= 1 else []
        )

    async def respond(self, prompt: Prompt, index: int) -> Rollout:
        """Return the response to a prompt, or the failure of the last attempt."""
        retries = Retries(self.tries, seed=f"{prompt.digest}:{index}")
        try:
            return await ask_until_answered(
                lambda: self._request(prompt, index, again=retries.failed > 0), retries, self._failed
            )
        except ProviderError as failure:
            if not failure.again and not isinstance(failure, PromptRefused):
                raise
            return self._give_up(prompt, index, failure)

    async def _request(self, prompt: Prompt, index: int, again: bool) -> Rollout:
        started = await self.limiter.enter(again)
        try:
            completion = await self.model.complete(prompt, self.sampling, self.seed * SEEDS_PER_RUN + index)
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
        seconds = completion.seconds or time.monotonic() - started
        return Rollout(
            prompt.task_id, prompt.book, index, prompt.digest, completion.text, completion.finish,
            completion.prompt_tokens, completion.completion_tokens, round(seconds, 3),
        )  # fmt: skip

    def _failed(self, error: ProviderError, again: bool) -> None:
        if again:
            if not self.explained and not error.wait_s:  # why nothing seems to happen; pauses are announced elsewhere
                self.explained = True
                print(f"note: {error}; retrying", file=sys.stderr, flush=True)
            self.retried += 1
            self.retrying()

    def _give_up(self, prompt: Prompt, index: int, failure: ProviderError) -> Rollout:
        """Record a request that failed for good; end the run if too many in a row have failed."""
        self.given_up += 1
        if isinstance(failure, AnswerMissing):
            pass  # this says nothing about the other prompts
        elif not isinstance(failure, PromptRefused) or prompt.digest != self.refused:
            self.in_a_row += 1  # further samples of the same refused prompt do not count
        self.refused = prompt.digest if isinstance(failure, PromptRefused) else ""
        if self.in_a_row >= STOP_AFTER:
            check = "why the server refuses the prompts" if self.refused else "the server and --base-url"
            raise ProviderError(
                f"{self.in_a_row} requests in a row failed (last error: {failure}); check {check}, then run the same "
                "command again to resume",
                again=False,
            )
        finish = REFUSED if isinstance(failure, PromptRefused) else "error"
        return Rollout(prompt.task_id, prompt.book, index, prompt.digest, "", finish, error=str(failure))
