"""New editions of a world: whether a model knows the changes, and what it still knows of the rest.

Tasks are changed (the old solution is wrong now), unchanged, added (about a new function) or removed (about a function
that is gone: the right answer is to decline). A wrong answer is stale if it was written for the old edition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sebench.report.numbers import metrics
from sebench.report.numbers.boundary import declined
from sebench.report.numbers.compare import NATIVE, Share, share, task_means
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row


@dataclass(frozen=True)
class EditionResult:
    """The answers of one run with one book, by what the new edition did to the task."""

    run: str
    book: str
    new_right: Share  # of the changed tasks
    stale: Share  # of the changed tasks
    unchanged_kept: Share
    added_right: Share
    removed_refused: Share
    removed_stale: Share
    changed_tasks: int
    unchanged_tasks: int
    added_tasks: int
    removed_tasks: int


def edition_results(runs: Iterable[Source]) -> list[EditionResult]:
    """Return one entry for each book of each run on a new edition of a world."""
    return [
        _result(run.name, book, rows)
        for run in runs
        for book, rows in metrics.by_book(run.rows).items()
        if book != NATIVE and any(row.task.get("edition") for row in rows)
    ]


def _result(run: str, book: str, rows: Sequence[Row]) -> EditionResult:
    counted = [row for row in rows if metrics.outcome(row).counts]
    changed, unchanged, added, removed = (
        [row for row in counted if row.task.get("edition") == kind]
        for kind in ("changed", "unchanged", "added", "removed")
    )
    return EditionResult(
        run=run,
        book=book,
        new_right=share(task_means(changed, metrics.is_right)),
        stale=share(task_means(changed, _is_stale)),
        unchanged_kept=share(task_means(unchanged, metrics.is_right)),
        added_right=share(task_means(added, metrics.is_right)),
        removed_refused=share(task_means(removed, declined)),
        removed_stale=share(task_means(removed, _is_stale)),
        changed_tasks=len({row.rollout.task_id for row in changed}),
        unchanged_tasks=len({row.rollout.task_id for row in unchanged}),
        added_tasks=len({row.rollout.task_id for row in added}),
        removed_tasks=len({row.rollout.task_id for row in removed}),
    )


def stale_share(rows: Iterable[Row]) -> Share | None:
    """Return the share of answers to changed tasks that are for the old edition; None if there are no such tasks."""
    changed = [row for row in rows if metrics.outcome(row).counts and row.task.get("edition") == "changed"]
    return share(task_means(changed, _is_stale)) if changed else None


def _is_stale(row: Row) -> bool:
    return bool(row.verdict and row.verdict.stale)
