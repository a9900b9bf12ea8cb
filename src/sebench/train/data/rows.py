"""From examples to rows: the prompt that an update sees, and the answer whose tokens carry the loss.

Open-SFT and Closed-SFT differ in `book` alone: the same examples in the same order. Controls: `IRRELEVANT` shows as many pages as an open
book would, all of other functions and cut to the same length; `share` mixes open and closed rows, decided for every row by the seed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.train.data.examples import TrainingExample
from sebench.world.open_book import BookSettings, OpenBook
from sebench.world.page_cuts import reduced
from sebench.world.prompts import CLOSED, NATIVE, OPEN, Prompt, Prompter, templates_folder
from sebench.world.world import World

IRRELEVANT = "irrelevant"
BOOKS = (OPEN, CLOSED, NATIVE, IRRELEVANT)


@dataclass(frozen=True)
class TrainingRow:
    """A prompt and the answer to learn."""

    id: str  # of the task, or of the page that the row was made from
    prompt: Prompt | None  # None for plain text, such as a page: all of it is learnt, without a chat template
    answer: str


@dataclass(frozen=True)
class RowSettings:
    """What the update prompt shows."""

    book: str = CLOSED
    share: float = 1.0  # of the rows that have the book; the others are closed
    settings: BookSettings = field(default_factory=lambda: BookSettings(distractors=0))
    seed: int = 0
    prompts: str = ""  # templates: "", "short", or a folder

    def __post_init__(self) -> None:
        if self.book not in BOOKS:
            raise ConfigError(f"book = {self.book!r}: an update prompt is {', '.join(BOOKS)}")
        if not 0 <= self.share <= 1:
            raise ConfigError(f"share = {self.share}: from 0 to 1")


def rows(world: World, examples: Sequence[TrainingExample], chosen: RowSettings) -> list[TrainingRow]:
    """A row for every example, in their order."""
    prompter = world.prompter(templates_folder(chosen.prompts), chosen.settings)
    made = []
    for number, example in enumerate(examples):
        task = example.task
        rng = random.Random(f"rows:{chosen.seed}:{number}:{task.id}")
        book = chosen.book if rng.random() < chosen.share else CLOSED
        prompt = _irrelevant_prompt(prompter, task, rng) if book == IRRELEVANT else prompter.prompt(task, book)
        made.append(TrainingRow(task.id, prompt, example.answer))
    return made


def _irrelevant_prompt(prompter: Prompter, task: Task, rng: random.Random) -> Prompt:
    """The open prompt with pages that the task does not need, as long as those that it would have shown."""
    book = prompter.book
    wanted = len(book.pages(task))
    needed = {prompter.names.functions[path] for path in task.functions}
    others = [page for page in book.docs if page.path not in needed]
    text = ""
    for page in rng.sample(others, len(others)):
        if len(text) >= wanted:
            break
        text += f"\n\n{reduced(page.text, book.settings.parts).strip()}"
    shown = _FixedTextBook(book.names, book.docs, book.settings, text.strip()[:wanted])
    return replace(prompter, book=shown).prompt(task, OPEN)


@dataclass(frozen=True)
class _FixedTextBook(OpenBook):
    """A book that always shows the same text."""

    text: str = ""

    def pages(self, task: Task) -> str:
        return self.text
