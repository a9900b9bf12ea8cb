"""Examples to learn from: questions of the training split with answers that the judge credited.

They come from a run with the book open (`from_run`: the model's own answers, as published), or from the gold solutions (`from_gold`), for
models too small to solve tasks; every example says which. Two forms: `code`, the program alone, and `recall`, which says what is needed
before it names anything: in words, then the signatures, then the program.

Refused: tasks of other splits than `train`, and answers that speak of a documentation which the reader of a closed book does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sebench.errors import ConfigError
from sebench.extract import extract
from sebench.records import Task
from sebench.store import Row
from sebench.tasks import splits
from sebench.world import World

CODE, RECALL = FORMS = ("code", "recall")
GOLD = "gold"
# Words of an answer that was written with the documentation at hand.
_OF_THE_BOOK = re.compile(
    r"(?i)\b(documentation|docs|documented|(?:the|this|its) page|pages? (?:above|says?|states?)"
    r"|as (?:shown|given|described) above|provided (?:text|examples?))\b"
)


@dataclass(frozen=True)
class Example:
    """A question of the training split, and an answer that was right."""

    task_id: str
    answer: str  # the whole response
    source: str  # GOLD, or the model's name


def from_gold(world: World, tasks: Iterable[Task] | None = None, form: str = CODE) -> list[Example]:
    """The gold solutions of training tasks as examples."""
    chosen = world.tasks(splits.TRAIN) if tasks is None else tuple(tasks)
    return [Example(task.id, answer(task.gold, task, world, form), GOLD) for task in trained(chosen)]


def from_run(
    rows: Iterable[Row], world: World, form: str = CODE, closed: bool = True, source: str = ""
) -> list[Example]:
    """The credited answers of a run with the book open, each program once per task. `closed`: answers that mention a book are left out."""
    found: dict[tuple[str, str], Example] = {}
    for row in rows:
        if row.rollout.book != "open" or row.verdict is None or row.verdict.targeted is not True:
            continue
        task = world.task(row.rollout.task_id)
        code = extract(row.rollout.response, task.entry).code
        key = task.id, " ".join(code.split())
        if task.split != splits.TRAIN or key in found:
            continue
        if form == RECALL:
            text = answer(code, task, world, RECALL)
        elif closed and _OF_THE_BOOK.search(row.rollout.response):
            continue
        else:
            text = row.rollout.response
        found[key] = Example(task.id, text, source)
    if not found:
        raise ConfigError(
            "no answer to learn from: none to a training task, with the book open, was right and credited; "
            "ask with --split train --book open and more --samples, or learn from gold"
        )
    return list(found.values())


def trained(tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks, all of which must be for training."""
    for task in tasks:
        if task.split != splits.TRAIN:
            raise ConfigError(f"task '{task.id}' is in {task.split}; only tasks of {splits.TRAIN} may be learnt from")
        yield task


def answer(code: str, task: Task, world: World, form: str) -> str:
    """A response with this program, in one of the forms."""
    block = f"```python\n{code.strip()}\n```"
    if form == CODE:
        return block
    if form != RECALL:
        raise ConfigError(f"no form '{form}' of examples; there are {', '.join(FORMS)}")
    pages = [world.page(path) for path in task.functions]
    needed = "\n".join(f"- {page.summary}" for page in pages)
    signatures = "\n".join(f"- `{page.signature}`" for page in pages)
    return f"Needed:\n{needed}\n\nIn `{world.names.package}`:\n{signatures}\n\n{block}"
