"""Turns examples into training rows: the prompt used for the update, and the answer, whose tokens carry the loss.

Open-SFT and Closed-SFT differ only in `book` (which documentation the prompt shows), with the same examples in the same
order. There are two controls: `IRRELEVANT` shows pages of other functions, cut to the length of the right pages;
`share` mixes open and closed rows, chosen with the seed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sebench.base.records import Task
from sebench.train.data.examples import TrainingExample
from sebench.world.open_book import BookSettings, OpenBook
from sebench.world.page_cuts import keep_parts
from sebench.world.prompts import CLOSED, OPEN, Prompt, Prompter, templates_folder
from sebench.world.world import World

IRRELEVANT = "irrelevant"


@dataclass(frozen=True)
class TrainingRow:
    """A prompt and the answer to learn."""

    id: str  # id of the task, or of the page that the row comes from
    prompt: Prompt | None  # None for plain text, such as a page: all of it carries loss, without a chat template
    answer: str


@dataclass(frozen=True)
class RowSettings:
    """The contents of the update prompt."""

    book: str = CLOSED  # or OPEN, NATIVE, IRRELEVANT
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
        prompt = _irrelevant_prompt(prompter, task, rng) if book == IRRELEVANT else prompter.prompt(task, book)
        training_rows.append(TrainingRow(task.id, prompt, example.answer))
    return training_rows


def _irrelevant_prompt(prompter: Prompter, task: Task, rng: random.Random) -> Prompt:
    """Return an open-book prompt with pages that the task does not need, truncated to the length of the right ones."""
    book = prompter.book
    length = len(book.pages(task))
    needed = {prompter.names.functions[path] for path in task.functions}
    others = [page for page in book.docs if page.path not in needed]
    text = ""
    for page in rng.sample(others, len(others)):
        if len(text) >= length:
            break
        text += f"\n\n{keep_parts(page.text, book.settings.parts).strip()}"
    irrelevant = _FixedTextBook(book.names, book.docs, book.settings, text.strip()[:length])
    return replace(prompter, book=irrelevant).prompt(task, OPEN)


@dataclass(frozen=True)
class _FixedTextBook(OpenBook):
    """A book that always shows the same text."""

    text: str = ""

    def pages(self, task: Task) -> str:
        return self.text
