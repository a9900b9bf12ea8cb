"""Tasks about functions that differ from NumPy's show whether a model does what the page says or what NumPy does.

The prior rate is the share of answers that do in every case what the reference solution would do if the library's
functions were NumPy's. Such an answer is wrong: it shows that the model knows the names, but not the functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sebench.report.numbers import metrics
from sebench.report.numbers.compare import NATIVE, Share, share, task_means
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row


@dataclass(frozen=True)
class ChangedTasks:
    """How accurate one run's answers with one book are on tasks about changed functions, and on the other tasks."""

    run: str
    book: str
    tasks: int  # about changed functions
    answers: int
    wrong: int
    accuracy: Share
    prior: Share  # as a share of all answers
    prior_of_wrong: float | None  # as a share of the wrong ones; None if there are none
    other_tasks: int
    other_accuracy: Share


def changed_tasks(runs: Iterable[Source]) -> list[ChangedTasks]:
    """Return one entry for each run and book with tasks about changed functions. The native book is left out, since it
    is about NumPy."""
    return [
        _changed_tasks(run.name, book, rows)
        for run in runs
        for book, rows in metrics.by_book(run.scored).items()
        if book != NATIVE and any(metrics.is_changed(row) for row in rows)
    ]


def _changed_tasks(run: str, book: str, rows: Sequence[Row]) -> ChangedTasks:
    counted = [row for row in rows if metrics.outcome(row).counts]
    changed = [row for row in counted if metrics.is_changed(row)]
    others = [row for row in counted if not metrics.is_changed(row)]
    wrong = [row for row in changed if not metrics.is_right(row)]
    return ChangedTasks(
        run=run,
        book=book,
        tasks=len({row.rollout.task_id for row in changed}),
        answers=len(changed),
        wrong=len(wrong),
        accuracy=share(task_means(changed, metrics.is_right)),
        prior=share(task_means(changed, _is_prior)),
        prior_of_wrong=sum(map(_is_prior, wrong)) / len(wrong) if wrong else None,
        other_tasks=len({row.rollout.task_id for row in others}),
        other_accuracy=share(task_means(others, metrics.is_right)),
    )


def _is_prior(row: Row) -> bool:
    return bool(row.verdict and row.verdict.prior)
