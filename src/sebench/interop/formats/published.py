"""Files of published tasks: read them for a world, write a world's tasks in their form, and check their solutions.

A task that was read keeps its original line (`Task.published`), and writing returns that line. A line with the same
question and cases as a task in the world is read as that task.

Other people's NumPy solutions are run by the judge, in its sandbox. Gold (a reference solution) is kept only if it is
right and credited; a task without gold is scored like any other, but the functions it is about are unknown, and
`targeted` is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.base.errors import SandboxFault
from sebench.base.records import Blame, Case, CoreFunction, Rollout, Task
from sebench.forge.names.naming import Names
from sebench.interop.formats import published_lines
from sebench.judge.interface import AnyJudge
from sebench.tasks.dataset import arguments
from sebench.values.equality import Profile
from sebench.values.tagged import Unreadable
from sebench.world.prompts import NATIVE
from sebench.world.world import World


def to_published(task: Task, reference: str = "", number: int = 0) -> dict[str, Any]:
    """Return a task as a line in the published format: its own line if it was read from one. `reference` is its
    solution in NumPy, `number` its number in the file."""
    if task.published:
        return dict(task.published)
    return {
        "selected_functions": [path.rpartition(".")[2] for path in task.functions],
        "query": task.question,
        "test_cases": [_case(case) for case in task.cases],
        "example_output": [reference] if reference else [],
        "1func_query_id": number,
        "function_name": task.signature,
        "example": _case(task.examples[0]) if task.examples else {},
        "major_vote_response_dict": {},
        "is_valid": True,
        "right_exe_result": "#".join(repr(case.expected) for case in task.cases),
        "right_code": reference,
    }


def lines(world: World, split: str) -> Iterator[dict[str, Any]]:
    """Yield the tasks from a split as lines in the published format."""
    for number, task in enumerate(world.tasks(split)):
        yield to_published(task, world.numpy_source(task), number)


def _case(case: Case) -> dict[str, str]:
    return {"input": arguments(case.inputs), "output": repr(case.expected)}


@dataclass(frozen=True)
class PublishedTasks:
    """The tasks in a file, and the reason for each line that cannot be used."""

    tasks: Sequence[Task]
    numbers: Sequence[int]  # the line of each task
    bad: Sequence[str]


def read_tasks(file: Path, names: Names, split: str, known: Iterable[Task] = ()) -> PublishedTasks:
    """Read the tasks in a published file. A line with the same question and cases as a `known` task is read as that
    task."""
    by_content = {published_lines.content(task): task for task in known}
    tasks: dict[str, Task] = {}
    numbers: dict[str, int] = {}
    bad: list[str] = []
    for number, data in read_objects(file, bad):
        try:
            task = published_lines.read_task(data, names)
            unreadable = next((c.expected for c in task.cases if isinstance(c.expected, Unreadable)), None)
            if unreadable is not None:
                raise ValueError(f"an expected value cannot be read: {unreadable.reason}")
            task = by_content.get(published_lines.content(task), task)
            task = replace(task, id=re.sub(r"[^\w.-]", "_", task.id), split=split)
            if task.id in tasks:
                raise ValueError(f"it is the same task as line {numbers[task.id]}")
            tasks[task.id], numbers[task.id] = task, number
        except (ValueError, TypeError, RecursionError) as error:
            bad.append(f"line {number}: {error}")
    return PublishedTasks(list(tasks.values()), list(numbers.values()), bad)


def read_objects(file: Path, bad: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines of a file that are JSON objects, with their numbers; add the errors of the others to `bad`."""
    for number, raw in published_lines.numbered(file):
        try:
            data = published_lines.read_object(raw)
        except (ValueError, RecursionError) as error:
            bad.append(f"line {number}: {error}")
            continue
        yield number, data


# ---- the NumPy solutions


@dataclass(frozen=True)
class CheckedReference:
    """Whether the NumPy solution in a line returns the expected values: with NumPy itself, and translated into the
    world's names."""

    number: int  # of the line
    task: Task
    in_numpy: bool
    reason: str  # "" if both are right


def check_references(read: PublishedTasks, judge: AnyJudge) -> Iterator[CheckedReference]:
    """Run the NumPy solution of every task."""
    programs = [f"```python\n{published_lines.reference(task.published)}\n```" for task in read.tasks]
    pairs = [(task, Rollout(task.id, NATIVE, 0, "", text)) for task, text in zip(read.tasks, programs, strict=True)]
    for number, task, verdict in zip(read.numbers, read.tasks, judge.judge_rollouts(pairs), strict=True):
        if verdict.blame is Blame.SANDBOX:
            raise SandboxFault(f"line {number}: its solution could not be run: {verdict.detail}")
        in_numpy = bool(verdict.numpy_passed)
        case = f"case {verdict.case}: " if verdict.case is not None else ""
        why = f"{verdict.kind}: {case}{verdict.detail}"
        if not in_numpy:
            why = f"in NumPy: {why}" if verdict.case is not None else "in NumPy: it does not return the expected values"
        reason = "" if in_numpy and verdict.passed else why if not in_numpy else f"with the mapping's names: {why}"
        yield CheckedReference(number, task, in_numpy, reason)


def check_golds(tasks: Sequence[Task], judge: AnyJudge) -> list[Task]:
    """Return the tasks, each with its gold only if the judge finds it right and credits it. If the literal translation
    of a solution fails, the normalized one is tried; a listed function that gold does not depend on is not part of the
    core."""
    checked = [replace(task, gold="", core=()) if task.published else task for task in tasks]
    if judge.profile != Profile.STRICT:  # the other profiles credit nothing
        return checked
    candidates = {number: _candidates(task, judge.world.names) for number, task in enumerate(tasks) if task.published}
    while candidates := {number: waiting for number, waiting in candidates.items() if waiting}:
        tried = {number: waiting.pop(0) for number, waiting in candidates.items()}
        verdicts = judge.judge_many((task, task.gold) for task in tried.values())
        for (number, task), verdict in zip(tried.items(), verdicts, strict=True):
            if verdict.blame is Blame.SANDBOX:
                raise SandboxFault(f"task {task.id}: its solution could not be run: {verdict.detail}")
            if verdict.targeted:
                checked[number] = task
                candidates[number].clear()
            elif core := _without(task, verdict.uncredited, judge.world.names):
                candidates[number].insert(0, replace(task, core=core))
    return checked


def _candidates(task: Task, names: Names) -> list[Task]:
    """Return copies of the task, each with one translation of its solution as gold."""
    source = published_lines.reference(task.published)
    return [replace(task, gold=gold) for gold in published_lines.translations(source, task.entry, names)]


def _without(task: Task, uncredited: Sequence[str], names: Names) -> tuple[CoreFunction, ...]:
    """Return the task's core without the `uncredited` functions, or () if `uncredited` is empty."""
    return tuple(one for one in task.core if names.functions[one.path] not in uncredited) if uncredited else ()
