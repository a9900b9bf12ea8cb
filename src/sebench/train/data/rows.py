"""Turns examples into training rows: the prompt used for the update, and the answer, whose tokens carry the loss.

Open-SFT and Closed-SFT differ only in `book` (which documentation the prompt shows), with the same examples in the same
order. `share` mixes open and closed rows, chosen with the seed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from sebench.train.data.examples import TrainingExample
from sebench.world.prompts import CLOSED, Prompt, Prompter


@dataclass(frozen=True)
class TrainingRow:
    """A prompt and the answer to learn."""

    id: str  # id of the task, or of the page that the row comes from
    prompt: Prompt | None  # None for plain text, such as a page: all of it carries loss, without a chat template
    answer: str


def rows(
    prompter: Prompter, examples: Sequence[TrainingExample], book: str, share: float = 1.0, seed: int = 0
) -> list[TrainingRow]:
    """Return one row per example, in the same order. `book` is the documentation that the update prompt shows in this
    `share` of the rows; the others are closed."""
    training_rows = []
    for number, example in enumerate(examples):
        task = example.task
        opened = random.Random(f"rows:{seed}:{number}:{task.id}").random() < share
        prompt = prompter.prompt(task, book if opened else CLOSED)
        training_rows.append(TrainingRow(task.id, prompt, example.answer))
    return training_rows
