"""Retries with exponential backoff after failures that may be temporary.

    retries = Retries(tries=6)
    while True:
        ...                                       # return the result, or keep the error
        if (pause_s := retries.pause_s()) is None:
            raise ProviderError(...)
        time.sleep(pause_s)

    await ask_until_answered(lambda: model.complete(prompt, sampling, seed), Retries(tries=6))

Covered: pauses that double, with jitter so that clients that failed together do not retry together; Retry-After
headers; a limit on the number of tries or on time.
Not covered: which failures are temporary (see `ProviderError.again`), and how many requests are in flight
(`rollout/runner.py`).
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

from sebench.base.errors import ProviderError

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0
LONGEST_ASKED_S = 600.0  # the longest pause, even if the server asks for more

Answer = TypeVar("Answer")


class Retries:
    """Decides how often to retry, and when."""

    def __init__(
        self,
        tries: float = math.inf,
        within_s: float = math.inf,
        *,
        first_s: float | None = None,
        longest_s: float = LONGEST_PAUSE_S,
        seed: str | None = None,
    ) -> None:
        """Allow at most `tries` attempts, including the first, all started within `within_s` seconds. `seed` makes the
        jitter reproducible."""
        self.tries, self.ends = tries, time.monotonic() + within_s
        self.first_s, self.longest_s = FIRST_PAUSE_S if first_s is None else first_s, longest_s
        self.failed = 0
        self._random = random.Random(seed)

    def pause_s(self, least_s: float = 0.0) -> float | None:
        """Return the seconds to wait before the next try after a failure, at least about `least_s`; None if no try is
        left."""
        pause_s = backoff_s(self.first_s, self.longest_s, self.failed) * self._random.uniform(0.5, 1.5)
        pause_s = max(pause_s, least_s * self._random.uniform(1.0, 1.5))
        self.failed += 1
        return pause_s if self.failed < self.tries and time.monotonic() + pause_s <= self.ends else None


def backoff_s(first_s: float, longest_s: float, failures: int) -> float:
    """Return a pause that doubles with every failure."""
    return min(first_s * 2.0 ** min(failures, 60), longest_s)


async def ask_until_answered(
    ask: Callable[[], Awaitable[Answer]],
    retries: Retries,
    failed: Callable[[ProviderError, bool], None] = lambda error, again: None,
) -> Answer:
    """Ask a model until it answers, or raise the last error. `failed` is called with each error and whether a retry
    follows."""
    while True:
        try:
            return await ask()
        except ProviderError as error:
            pause_s = retries.pause_s(error.wait_s) if error.again else None
            failed(error, pause_s is not None)
            if pause_s is None:
                raise
        await asyncio.sleep(pause_s)


def retry_after_s(retry_after: str, otherwise: float) -> float:
    """Return the seconds to wait after a Retry-After header; `otherwise` if it cannot be parsed. The result is never 0,
    since a server that says "later" needs a break, and at most `LONGEST_ASKED_S`."""
    wait = _asked_s(retry_after)
    return otherwise if wait is None else min(max(wait, 0.01), LONGEST_ASKED_S)


def describe_longer(retry_after: str) -> str:
    """Return a note on a Retry-After header that asks for more than the longest pause; else ""."""
    wait = _asked_s(retry_after)
    if wait is None or wait <= LONGEST_ASKED_S:
        return ""
    return f" (it asks to wait {wait:,.0f} s; sebench tries again after {LONGEST_ASKED_S:.0f} s)"


def _asked_s(retry_after: str) -> float | None:
    """Return the seconds in a Retry-After header, which may be a date; None if it cannot be parsed."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            wait = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return wait if math.isfinite(wait) else None
