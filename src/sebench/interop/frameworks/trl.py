"""SE-Bench in TRL: the data set and the reward function for your own training script.

    from sebench.interop.frameworks.trl import dataset, reward

    trainer = GRPOTrainer(model, reward_funcs=reward(7), train_dataset=dataset(7), args=...)
    trainer = SFTTrainer(model, train_dataset=dataset(7, completions=True), args=...)

The reward is a coroutine function: TRL runs it in its own event loop, and the judge works on the whole batch together.
The reward for a fault that is not the candidate's is None, which TRL leaves out of the group.

Not covered: sampling with one prompt and updating with another (Closed-RL); `sebench learn --trainer trl` does that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from sebench import SebenchError, World
from sebench.base import versions
from sebench.interop.frameworks import scoring
from sebench.interop.frameworks.questions import address, questions

versions.require(versions.TRL, optional=True)

Completion = str | Sequence[dict[str, Any]]  # a text, or messages


def dataset(
    world: str | int | Path | World,
    split: str | Sequence[str] = "train",
    book: str = "closed",
    completions: bool = False,
    **settings: Any,
) -> Any:
    """Return a `datasets.Dataset` of questions: `prompt` (messages) and what the reward needs; with `completions`, also
    gold (reference) answers, for SFT. `settings`: see `questions`."""
    versions.require(versions.DATASETS)
    import datasets

    opened = World.open(world)
    rows = [
        {
            "prompt": [{"role": "user", "content": one.prompt}],
            **({"completion": _as_messages(f"```python\n{one.gold}```")} if completions else {}),
            "task": one.task,
            "book": one.book,
            "world": opened.manifest.fingerprint,
        }
        for one in questions(opened, split, book, **settings)
        if one.gold or not completions
    ]
    return datasets.Dataset.from_list(rows)


def reward(world: str | int | Path | World, credit: str = "targeted") -> Callable[..., Awaitable[list[float | None]]]:
    """Return the reward function: 1.0 for a credited answer, else 0.0. `credit="passed"` accepts any use of the
    library."""
    if credit not in ("targeted", "passed"):
        raise SebenchError(f"credit = {credit!r}: must be 'targeted' or 'passed'")
    where = address(world)

    async def rewarded(
        completions: Sequence[Completion], task: Sequence[str], book: Sequence[str], world: Sequence[str], **others: Any
    ) -> list[float | None]:
        futures = [
            scoring.submit(scoring.judge_of(where, fingerprint), one, _text(completion), its_book)
            for completion, one, its_book, fingerprint in zip(completions, task, book, world, strict=True)
        ]
        verdicts = await asyncio.gather(*map(scoring.await_verdict, futures))
        return [getattr(scoring.AnswerScore.of(verdict), credit) for verdict in verdicts]

    rewarded.__name__ = f"sebench_{credit}"  # what TRL's logs call it
    return rewarded


def _as_messages(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


def _text(completion: Completion) -> str:
    """Return the text of a completion: the content of the last message."""
    return completion if isinstance(completion, str) else str(completion[-1]["content"])
