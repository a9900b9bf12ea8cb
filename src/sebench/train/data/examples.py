"""Training examples: questions from the training split with answers that the judge credited.

They come from an open-book run (`from_run`: the model's own answers, as in the paper), from the gold (reference)
solutions (`from_gold`, for models too small to solve tasks), or from self-play (`from_selfplay`: the model's own
questions with its own correct answers). Every example records its source. An answer has one of these forms:

    code     only the program
    recall   what is needed, in words, then the signatures, then the program: names are recalled from their meaning
    short    like recall, with names instead of signatures
    subject  like recall, but starting with the subject area of the functions

Only tasks from the split `train` are used. Answers that mention the documentation outside of thinking are left out,
since a closed-book model does not see it (`mentions` keeps them); open-book training leaves them out too, so that both
learn from the same answers. A model's answer that equals the gold solution of a test task is also left out
(`gold_programs.py`).
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.extract import after_thinking, extract
from sebench.base.ledger import lines
from sebench.base.records import Task
from sebench.rollout.store import Row
from sebench.tasks import dataset, splits
from sebench.train.data.gold_programs import held_out_golds, programs_of
from sebench.world.world import World

CODE, RECALL, SHORT, SUBJECT = FORMS = ("code", "recall", "short", "subject")
GOLD = "gold"
SELFPLAY = "examples.jsonl"  # the file of a round of self-play; `write_selfplay` says what is in it
_ROUND = re.compile(r"round-(\d+)")
T = TypeVar("T")
# Phrases that refer to the documentation.
_DOCUMENTATION = re.compile(
    r"(?i)\b(documentation|docs|documented|(?:the|this|its) page|pages? (?:above|says?|states?)"
    r"|as (?:shown|given|described) above|provided (?:text|examples?))\b"
)


@dataclass(frozen=True)
class TrainingExample:
    """A question from the training split, and a correct answer."""

    task: Task
    answer: str  # the whole response
    source: str  # GOLD, or the model's name


def from_gold(world: World, tasks: Iterable[Task], form: str = CODE, native: bool = False) -> list[TrainingExample]:
    """Return the gold (reference) solutions of training tasks as examples. Published tasks whose solution is not
    correct are skipped.

    With `native` the solutions use NumPy's own names, for the control that is trained on NumPy itself.
    """
    examples = []
    for task in tasks:
        if task.split != splits.TRAIN:
            raise ConfigError(f"task '{task.id}' is in {task.split}; training may only use tasks of {splits.TRAIN}")
        if not task.gold:
            continue
        code = world.numpy_source(task) if native else task.gold
        examples.append(TrainingExample(task, format_answer(code, task, world, form, native), GOLD))
    return examples


def from_run(
    rows: Iterable[Row],
    world: World,
    form: str = CODE,
    source: str = "",
    *,
    credit: str = "targeted",
    mentions: bool = False,
) -> list[TrainingExample]:
    """Return the correct answers from an open-book run. If several answers to a task have the same program, only the
    first is used. `credit` defines what counts as correct; if it is not known what a task is about, every answer that
    passed counts.

    Answers that mention the documentation (unless `mentions` is set), or that equal the gold solution of a test task,
    are left out.
    """
    held_out = held_out_golds(world).keys()
    by_program: dict[tuple[str, str], TrainingExample] = {}
    for row in rows:
        if row.rollout.book != "open" or row.verdict is None:
            continue
        if not (row.verdict.passed if credit == "passed" else row.verdict.credited):
            continue
        task = world.task(row.rollout.task_id)
        code = extract(row.rollout.response, task.entry).code
        key = task.id, " ".join(code.split())
        learnt = row.rollout.response if form == CODE else code
        if task.split != splits.TRAIN or key in by_program or (not mentions and mentions_documentation(learnt)):
            continue
        if held_out.isdisjoint(programs_of(learnt)):
            answer = learnt if form == CODE else format_answer(code, task, world, form)
            by_program[key] = TrainingExample(task, answer, source)
    if not by_program:
        raise ConfigError(
            "no answer to learn from: the run has no credited open-book answer to a training task; "
            "run with --split train --book open and more --samples, or use --examples gold"
        )
    return list(by_program.values())


# ---- self-play -------------------------------------------------------------------------------------------------------


def from_selfplay(folder: Path, world: World) -> list[TrainingExample]:
    """Return the correct answers that a self-play run kept, or if `folder` is a round, those kept up to that round.
    Lines from another world are refused."""
    file = selfplay_file(folder)
    if file is None:
        raise ConfigError(f"{folder} is not a self-play folder; create one with 'sebench selfplay'")
    examples = []
    for start, data in lines(file):
        if data.get("world") != world.manifest.fingerprint:
            raise ConfigError(
                f"examples = {folder} is a self-play run in a world other than {world.path}; use one in this world"
            )
        try:
            task = dataset.from_json(data["task"], world.manifest.matched_names)
            examples.append(TrainingExample(task, data["answer"], data["source"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                f"{file}: the line at byte {start} is not an example ({error!r}); fix or remove it"
            ) from None
    if not examples:
        raise ConfigError(
            f"no answers to train on: the self-play run in {folder} kept none; run it with more --proposals or "
            "--samples"
        )
    return examples


def selfplay_file(folder: Path) -> Path | None:
    """Return the file with the examples of a round, or of the last round with examples in a self-play run; None for
    other folders."""
    if (folder / SELFPLAY).is_file():
        return folder / SELFPLAY
    rounds = [(int(match[1]), place) for place in folder.glob("round-*") if (match := _ROUND.fullmatch(place.name))]
    files_of_rounds = (place / SELFPLAY for _, place in sorted(rounds, reverse=True))
    file = next((file for file in files_of_rounds if file.is_file()), None)
    if file is None and files.kind_of(folder) == "a self-play run":
        raise ConfigError(f"{folder} has no finished round; repeat its 'sebench selfplay' command to continue it")
    return file


def write_selfplay(folder: Path, world: World, examples: Iterable[TrainingExample]) -> None:
    """Write the examples of a round, including those kept in earlier rounds: one line per answer, with the task in the
    world's names, the answer, and the model. Every line has already passed the guard (`guard.py`), and training runs
    the guard again."""
    own, names = {"world": world.manifest.fingerprint}, world.manifest.matched_names
    answers = ({"task": dataset.to_json(e.task, names), "answer": e.answer, "source": e.source} for e in examples)
    files.write_lines(folder / SELFPLAY, (answer | own for answer in answers))


def with_form(example: TrainingExample, world: World, form: str) -> TrainingExample:
    """Return the example with its answer in the given form."""
    if form == CODE:
        return example
    code = extract(example.answer, example.task.entry).code
    return replace(example, answer=format_answer(code, example.task, world, form))


# ---- tasks -----------------------------------------------------------------------------------------------------------


def with_gold(tasks: Iterable[Task]) -> list[Task]:
    """Return the tasks whose answers can be credited: those with a gold solution."""
    return [task for task in tasks if task.gold]


def with_reward(tasks: Iterable[Task], credit: str) -> list[Task]:
    """Return the tasks whose answers can be rewarded: all of them if `credit` is "passed", else those with a gold
    solution."""
    return list(tasks) if credit == "passed" else with_gold(tasks)


def training_tasks(world: World, per_function: int = 0, rest: bool = False) -> Sequence[Task]:
    """Return the training tasks: all, only the first `per_function` tasks for each function, or with `rest` only the
    tasks after those."""
    return take_per_function(world.tasks(splits.TRAIN), per_function, rest)


def take_per_function(tasks: Sequence[Task], per_function: int, rest: bool = False) -> Sequence[Task]:
    """Return all tasks, only the first `per_function` tasks for each function, or with `rest` only the tasks after
    those."""
    if not per_function:
        return tasks
    by_function: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_function[next((f for f in task.functions if f != "array"), "".join(task.functions[:1]))].append(task)
    chosen = slice(per_function, None) if rest else slice(per_function)
    return [task for of_one in by_function.values() for task in of_one[chosen]]


def imported_tasks(file: Path, world: World) -> Sequence[Task]:
    """Return the training tasks in a file that 'sebench tasks import --split train' wrote."""
    tasks = dataset.read(file, world.manifest.matched_names)
    if other := next((task for task in tasks if task.split != splits.TRAIN), None):
        raise ConfigError(f"examples = {file}: task '{other.id}' is in {other.split}; import it with --split train")
    if not with_gold(tasks):
        raise ConfigError(f"examples = {file}: no task has a correct solution, so no answer can be credited")
    return tasks


def draw_limited(items: Sequence[T], limit: int, seed: int) -> list[T]:
    """Return a random sample of at most `limit` items, in their original order. A limit of 0 takes all."""
    if not limit or limit >= len(items):
        return list(items)
    numbers = random.Random(f"limited:{seed}").sample(range(len(items)), limit)
    return [items[number] for number in sorted(numbers)]


def mentions_documentation(text: str) -> bool:
    """Whether an answer mentions the documentation, which a closed-book prompt does not show. The model's thinking does
    not count, because a model with the book in its prompt nearly always mentions the book there."""
    return _DOCUMENTATION.search(after_thinking(text)) is not None


def format_answer(code: str, task: Task, world: World, form: str, native: bool = False) -> str:
    """Return a response that contains this program, in one of the forms."""
    recalled = "" if form == CODE else f"{recall_text(task, world, form, native)}\n\n"
    return f"{recalled}```python\n{code.strip()}\n```"


def recall_text(task: Task, world: World, form: str, native: bool = False) -> str:
    """Return what a task needs, first in words, then by name. With `native`, both come from NumPy."""
    entries = [world.entries[path] for path in task.functions]
    if native:
        names = [f"np.{path}" for path in task.functions]
        summaries = [entry.summary.split("\n\n")[0] for entry in entries]
        parameters = [entry.signature for entry in entries]
    else:
        names = [world.names.forged(path) for path in task.functions]
        pages = [world.page(path) for path in task.functions]
        summaries = [page.summary for page in pages]
        parameters = ["".join(page.signature.partition("(")[1:]) for page in pages]
    signatures = ["".join(parts) for parts in zip(names, parameters, strict=True)]
    subjects = f"Subject: {entries[0].subject}\n" if form == SUBJECT else ""
    needed = "\n".join(f"- {summary}" for summary in summaries)
    named = "\n".join(f"- `{name}`" for name in (names if form == SHORT else signatures))
    return f"{subjects}Needed:\n{needed}\n\nIn `{'numpy' if native else world.names.package}`:\n{named}"
