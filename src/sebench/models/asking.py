"""Requests to a model: several at a time, with retries when its provider fails.

Who calls it: code that has a model write study material, task drafts or pages. A run uses `each` too, but has
its own counting, rate limiting and giving up (`runner.py`).

Not covered: storing the replies. Each caller keeps its own file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from sebench.base.errors import PromptRefused, ProviderError
from sebench.base.retry import Retries, ask_until_answered
from sebench.models.model import Completion, Model, Sampling
from sebench.world.prompts import Prompt

Piece = TypeVar("Piece")
TRIES = 6


async def complete(
    model: Model,
    prompt: Prompt,
    sampling: Sampling,
    seed: int,
    failed: Callable[[ProviderError], None] = lambda why: None,
) -> Completion | None:
    """The completion; None if the prompt is refused or every retry fails. Each failure is passed to `failed`; a
    permanent one is raised."""
    retries = Retries(TRIES, seed=f"{prompt.digest}:{seed}")
    try:
        return await ask_until_answered(
            lambda: model.complete(prompt, sampling, seed), retries, lambda error, again: failed(error)
        )
    except ProviderError as error:
        if error.again or isinstance(error, PromptRefused):
            return None
        raise


async def each(work: Iterable[Piece], do: Callable[[Piece], Awaitable[None]], concurrency: int) -> None:
    """Do all the work in order, `concurrency` pieces at a time. If one raises, the others are cancelled."""
    todo = iter(work)  # one iterator shared by all workers, so that the work is never held in memory

    async def worker() -> None:
        for piece in todo:
            await do(piece)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
