"""Asking a model: several pieces of work at a time, and patience with its provider.

Who calls it: what lets a model write (study material, drafts of tasks and pages). A run shares `each`, but
counts, slows down and gives up as a whole (`runner.py`).

Not covered: keeping what the model said. The callers do, each in its own file.
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
    """What the model says; None if it refuses the prompt, or its provider fails again and again, and `failed` hears why. A failure that
    will not pass is raised."""
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
    """Do all the work, so many pieces at a time, in its order. Where one fails for good, the others end."""
    todo = iter(work)  # one iterator for all workers: nothing is held in memory

    async def worker() -> None:
        for piece in todo:
            await do(piece)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
