"""Boundary tasks show whether a model knows what the library lacks.

Tasks in `boundary_test` are about functions that were left out of the world (absent), tasks in `single_test` about
functions that exist (present); the prompts do not reveal which is which, and explain how to decline. A model that knows
the library declines the first and not the second; a model that declines everything has a difference of 0. An answer
invents a name if it uses one that the library lacks, according to the judge's analysis of the program or the error that
ended it. These numbers are separate from every accuracy.

The unit is the function, since several tasks are about the same one: the tasks of a function are averaged, and
functions are resampled.

Not covered: combining several worlds, and which of the absent functions were composed from others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sebench.base.records import BOUNDARY_TEST, Kind
from sebench.report.numbers import metrics, recall
from sebench.report.numbers.compare import Share, share, task_means
from sebench.report.numbers.intervals import Interval, unpaired_interval
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row

PRESENT = "single_test"  # the split that boundary tasks are compared with: the other tasks about one function
Holds = Callable[[Row], bool]


@dataclass(frozen=True)
class Boundary:
    """The declines and invented names of one run with one book (documentation setting)."""

    run: str
    book: str
    functions: int  # absent functions that tasks ask for
    absent_tasks: int
    present_tasks: int
    absent_answers: int  # answers that count
    present_answers: int
    invented_absent: Share  # answers with a name that the library does not have
    invented_present: Share
    declined_absent: Share
    declined_present: Share
    difference: float | None  # declined_absent - declined_present; None if one side has no answer that counts
    interval: Interval | None
    composed: Share  # share of the absent tasks that were solved with existing functions


def boundaries(runs: Iterable[Source]) -> list[Boundary]:
    """Return one entry for each run and book with boundary tasks."""
    return [
        _boundary(run.name, book, rows)
        for run in runs
        for book, rows in metrics.by_book(run.rows).items()
        if any(row.task["split"] == BOUNDARY_TEST for row in rows)
    ]


def invents(row: Row) -> bool:
    """Whether an answer uses a name that the library does not have."""
    return bool((row.verdict and row.verdict.invented) or recall.invented_name(row))


def declined(row: Row) -> bool:
    return row.verdict is not None and row.verdict.kind is Kind.DECLINED


def composed(row: Row) -> bool:
    return row.verdict is not None and row.verdict.kind is Kind.COMPOSED


def _boundary(run: str, book: str, rows: Sequence[Row]) -> Boundary:
    counted = [row for row in rows if metrics.outcome(row).counts]
    absent = [row for row in counted if row.task["split"] == BOUNDARY_TEST]
    present = [row for row in counted if row.task["split"] == PRESENT]
    first, second = _means(absent, declined), _means(present, declined)
    return Boundary(
        run=run,
        book=book,
        functions=len(first),
        absent_tasks=len({row.rollout.task_id for row in absent}),
        present_tasks=len({row.rollout.task_id for row in present}),
        absent_answers=len(absent),
        present_answers=len(present),
        invented_absent=share(_means(absent, invents)),
        invented_present=share(_means(present, invents)),
        declined_absent=share(first),
        declined_present=share(second),
        difference=sum(first) / len(first) - sum(second) / len(second) if first and second else None,
        interval=unpaired_interval(first, second),
        composed=share(_means(absent, composed)),
    )


def _means(rows: Iterable[Row], holds: Holds) -> list[float]:
    """For each function, return the mean over its tasks of the share of answers for which `holds` is true."""
    by_function = metrics.group_rows(rows, lambda row: (_about(row),), ())
    return [metrics.mean(task_means(of_function, holds)) or 0.0 for of_function in by_function.values()]


def _about(row: Row) -> str:
    """Return the function that a task is about, ignoring `array` if there are others."""
    functions: list[str] = row.task["functions"]
    return next((path for path in functions if path != "array"), functions[0] if functions else row.rollout.task_id)
