"""Material for memories that needs no model: the pages, an index of them, training questions, and worked answers
(training questions with their solutions).

`held_out` sets training tasks aside for validation: memories are selected on those tasks, never on a test split.

Not covered: answers from a run (read by `memory/methods/`), and texts that a model writes.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable

from sebench.base.errors import ConfigError
from sebench.base.records import ApiDoc, Task
from sebench.memory.kinds import Entry
from sebench.tasks import splits
from sebench.world.mentions import mentioned_functions, needed_functions
from sebench.world.world import World

VALIDATION = 10  # one training task in ten is for validation


def preface(world: World) -> str:
    """Return the introduction to the open book (documentation in the prompt), which explains how the library's arrays
    behave. Memories that show pages start with it."""
    fields = {"package": world.names.package, "array": world.names.array, "documentation": ""}
    return world.prompter().templates["open"].substitute(fields).strip().removesuffix("---").strip()


def arrays(world: World) -> str:
    """Return only the part of the introduction about arrays, for memories that show no pages at first."""
    return preface(world).partition("\n\n")[2]


def whole(world: World) -> str:
    """Return all pages, in index order."""
    return "\n\n".join([preface(world), *(page.text.strip() for page in world.pages)])


def index(world: World) -> str:
    """Return the index: one line per function, with its signature and summary."""
    return "\n".join([preface(world), "", *map(line, world.pages)])


def line(page: ApiDoc) -> str:
    """Return the index line of a function."""
    return f"- `{page.signature}`: {page.summary}"


def pages(world: World, questions: bool = False) -> list[Entry]:
    """Return each page as an entry. Its key is the page; with `questions`, also the training questions that need it."""
    questions_of = questions_by_function(world) if questions else {}
    keys = ["\n\n".join([page.text, *questions_of.get(page.path, [])]) for page in world.pages]
    return [Entry(page.path, key, page.text, (page.path,)) for page, key in zip(world.pages, keys, strict=True)]


def questions_by_function(world: World) -> dict[str, list[str]]:
    """Return the training questions that need each function, by its forged path."""
    questions: dict[str, list[str]] = defaultdict(list)
    for task in world.tasks(splits.TRAIN):
        for path in needed_functions(task, world):
            questions[path].append(task.question)
    return questions


def worked_answer(task: Task, answer: str, world: World, number: int = 0) -> Entry:
    """Return a training task with an answer as an entry; its key is the question. `number` distinguishes several
    answers to a task.

    The entry covers only the needed functions that the answer names, since a model may have used others instead.
    """
    text = f"### Task\n\n{task.question}\n\n### Answer\n\n```python\n{answer.strip()}\n```"
    named = mentioned_functions(answer, world.names)
    functions = tuple(path for path in needed_functions(task, world) if path in named)
    return Entry(f"{task.id}/{number}", task.question, text, functions, task.id)


def gold_answers(world: World) -> list[Entry]:
    """Return every training task that has a gold (reference) solution, with that solution."""
    return [worked_answer(task, task.gold, world) for task in world.tasks(splits.TRAIN) if task.gold]


def one_for_each(entries: Iterable[Entry]) -> list[Entry]:
    """Return the shortest entry about each function."""
    shortest: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: (len(entry.text), entry.id)):
        for path in entry.functions:
            shortest.setdefault(path, entry)
    return list({entry.id: entry for _, entry in sorted(shortest.items())}.values())


def held_out(world: World, seed: int) -> tuple[list[Task], list[Task]]:
    """Return the training tasks to study and those for validation (a tenth of all), both in the world's order."""
    tasks = list(world.tasks(splits.TRAIN))
    if len(tasks) < 2:
        raise ConfigError(f"world {world.path} has too few training tasks for a study; build a larger world")
    count = max(len(tasks) // VALIDATION, 1)
    chosen = set(random.Random(f"validation:{seed}").sample(range(len(tasks)), count))
    return (
        [task for number, task in enumerate(tasks) if number not in chosen],
        [task for number, task in enumerate(tasks) if number in chosen],
    )
