"""Examples to learn from: questions of the training split with answers that the judge credited.

They come from a run with the book open (`from_run`: the model's own answers, as published), or from the gold solutions (`from_gold`), for models
too small to solve tasks, or from self-play (`played.py`); every example says which. Forms of an answer:

    code     the program alone
    recall   what is needed in words, then the signatures, then the program: a name is recalled from its meaning
    short    the same with names in the place of signatures
    subject  the same, and the subject that the functions belong to before it

Refused: tasks of other splits than `train`, and answers that speak of a documentation which the reader of a closed book does not have; also
where the book is open, so that both learn from the same answers. A model's own answer that is by chance the gold of a test task
(`gold_programs.py`) is left out.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.records import Task
from sebench.rollout.store import Row
from sebench.tasks import splits
from sebench.train.data.gold_programs import held_out_golds, programs_of
from sebench.world.world import World

CODE, RECALL, SHORT, SUBJECT = FORMS = ("code", "recall", "short", "subject")
GOLD = "gold"
T = TypeVar("T")
# Words of an answer that was written with the documentation at hand.
_OF_THE_BOOK = re.compile(
    r"(?i)\b(documentation|docs|documented|(?:the|this|its) page|pages? (?:above|says?|states?)"
    r"|as (?:shown|given|described) above|provided (?:text|examples?))\b"
)


@dataclass(frozen=True)
class TrainingExample:
    """A question of the training split, and an answer that was right."""

    task: Task
    answer: str  # the whole response
    source: str  # GOLD, or the model's name


def from_gold(world: World, tasks: Iterable[Task], form: str = CODE, native: bool = False) -> list[TrainingExample]:
    """The gold solutions of training tasks as examples.

    `native`: the same in NumPy's terms, for the control that is trained on NumPy itself.
    """
    made = []
    for task in require_training_split(tasks):
        code = world.definitions[task.id].source if native else task.gold
        made.append(TrainingExample(task, format_answer(code, task, world, form, native), GOLD))
    return made


def from_run(rows: Iterable[Row], world: World, form: str = CODE, source: str = "") -> list[TrainingExample]:
    """The credited answers of a run with the book open, each program once per task.

    Left out are answers that mention a book, and those that are by chance the gold of a test task.
    """
    held_out = held_out_golds(world).keys()
    found: dict[tuple[str, str], TrainingExample] = {}
    for row in rows:
        if row.rollout.book != "open" or row.verdict is None or row.verdict.targeted is not True:
            continue
        task = world.task(row.rollout.task_id)
        code = extract(row.rollout.response, task.entry).code
        key = task.id, " ".join(code.split())
        learnt = row.rollout.response if form == CODE else code
        if task.split != splits.TRAIN or key in found or mentions_documentation(learnt):
            continue
        if not held_out.isdisjoint(programs_of(learnt)):
            continue
        found[key] = TrainingExample(task, learnt if form == CODE else format_answer(code, task, world, form), source)
    if not found:
        raise ConfigError(
            "no answer to learn from: none to a training task, with the book open, was right and credited; "
            "ask with --split train --book open and more --samples, or learn from gold"
        )
    return list(found.values())


def training_tasks(world: World, per_function: int = 0, rest: bool = False) -> Sequence[Task]:
    """Training tasks: all, the first so many of each function, or the rest of them."""
    return take_per_function(world.tasks(splits.TRAIN), per_function, rest)


def take_per_function(every: Sequence[Task], per_function: int, rest: bool = False) -> Sequence[Task]:
    """All of some tasks, the first so many of each function, or the rest of them."""
    if not per_function:
        return every
    by_function: dict[str, list[Task]] = defaultdict(list)
    for task in every:
        by_function[next((f for f in task.functions if f != "array"), task.functions[0])].append(task)
    chosen = slice(per_function, None) if rest else slice(per_function)
    return [task for of_one in by_function.values() for task in of_one[chosen]]


def draw_limited(found: Sequence[T], most: int, seed: int) -> list[T]:
    """So many of them, drawn from the seed and in their order; 0 takes all."""
    if not most or most >= len(found):
        return list(found)
    chosen = random.Random(f"limited:{seed}").sample(range(len(found)), most)
    return [found[number] for number in sorted(chosen)]


def mentions_documentation(text: str) -> bool:
    """Whether an answer mentions a documentation that the reader of a closed book does not have."""
    return _OF_THE_BOOK.search(text) is not None


def require_training_split(tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks, all of which must be for training."""
    for task in tasks:
        if task.split != splits.TRAIN:
            raise ConfigError(f"task '{task.id}' is in {task.split}; only tasks of {splits.TRAIN} may be learnt from")
        yield task


def format_answer(code: str, task: Task, world: World, form: str, native: bool = False) -> str:
    """A response with this program, in one of the forms."""
    block = f"```python\n{code.strip()}\n```"
    if form == CODE:
        return block
    return f"{recall_text(task, world, form, native)}\n\n{block}"


def recall_text(task: Task, world: World, form: str, native: bool = False) -> str:
    """What a task needs: in words first, then by name."""
    pages = [world.page(path) for path in task.functions]
    names = [f"np.{path}" if native else world.names.forged(path) for path in task.functions]
    signatures = [
        name + page.signature[page.signature.index("(") :] if "(" in page.signature else name
        for name, page in zip(names, pages, strict=True)
    ]
    subjects = (
        "".join(f"Subject: {world.entries[path].subject}\n" for path in task.functions[:1]) if form == SUBJECT else ""
    )
    needed = "\n".join(f"- {page.summary}" for page in pages)
    named = "\n".join(f"- `{name}`" for name in (names if form == SHORT else signatures))
    return f"{subjects}Needed:\n{needed}\n\nIn `{'numpy' if native else world.names.package}`:\n{named}"
