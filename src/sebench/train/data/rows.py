"""Turns examples into training rows: the prompt used for the update, and the answer, whose tokens carry the loss.

Open-SFT and Closed-SFT differ only in `book` (which documentation the prompt shows), with the same examples in the same
order. `share` mixes open and closed rows, chosen with the seed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from sebench.train.data.examples import TrainingExample
from sebench.world.open_book import BookSettings
from sebench.world.prompts import CLOSED, Prompt, templates_folder
from sebench.world.world import World


@dataclass(frozen=True)
class TrainingRow:
    """A prompt and the answer to learn."""

    id: str  # id of the task, or of the page that the row comes from
    prompt: Prompt | None  # None for plain text, such as a page: all of it carries loss, without a chat template
    answer: str


@dataclass(frozen=True)
class RowSettings:
    """The contents of the update prompt."""

    book: str = CLOSED  # or OPEN, NATIVE
    share: float = 1.0  # share of rows with the book; the others are closed
    book_settings: BookSettings = field(default_factory=lambda: BookSettings(distractors=0))
    seed: int = 0
    prompts: str = ""  # templates: "", "short", or a folder


def rows(world: World, examples: Sequence[TrainingExample], settings: RowSettings) -> list[TrainingRow]:
    """Return one row per example, in the same order."""
    prompter = world.prompter(templates_folder(settings.prompts), settings.book_settings)
    training_rows = []
    for number, example in enumerate(examples):
        task = example.task
        rng = random.Random(f"rows:{settings.seed}:{number}:{task.id}")
        book = settings.book if rng.random() < settings.share else CLOSED
        training_rows.append(TrainingRow(task.id, prompter.prompt(task, book), example.answer))
    return training_rows
