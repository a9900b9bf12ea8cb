"""Paired comparison: the same tasks under two conditions. Two books of one run, or one book of two runs.

Only tasks that count on both sides enter, each with its difference of means. Pairing removes the difficulty of tasks
from the uncertainty. It is meaningful only for the same tasks of the same world, which `build.py` ensures. P-values are
for single comparisons, without a correction for multiple testing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import Interval, difference_interval, sign_flip_p
from sebench.report.numbers.metrics import TaskScore
from sebench.rollout.store import Row


@dataclass(frozen=True)
class Side:
    """One condition: a run by its name in the report, and a book."""

    run: str
    book: str


@dataclass(frozen=True)
class PairedComparison:
    """`after` minus `before`, over the tasks that count on both sides."""

    name: str  # "book dependence", "internalization gain", "open book"
    before: Side
    after: Side
    split: str  # "" for all tasks
    tasks: int
    accuracy_before: float
    accuracy_after: float
    difference: float
    interval: Interval
    p: float


def compare(
    name: str,
    before: Mapping[str, TaskScore],
    after: Mapping[str, TaskScore],
    sides: tuple[Side, Side],
    split: str = "",
) -> PairedComparison | None:
    """The comparison, or None if no task counts on both sides."""
    shared = metrics.shared_tasks(before, after)
    numbers = paired_numbers([before[t].mean for t in shared], [after[t].mean for t in shared])
    return PairedComparison(name, *sides, split, len(shared), **numbers) if numbers else None


def paired_numbers(before: Sequence[float], after: Sequence[float]) -> dict[str, Any]:
    """What every paired comparison says, by the names of its fields; {} without a task."""
    gains = [a - b for a, b in zip(after, before, strict=True)]
    if not gains:
        return {}
    return {
        "accuracy_before": metrics.mean(before),
        "accuracy_after": metrics.mean(after),
        "difference": metrics.mean(gains),
        "interval": difference_interval(gains),
        "p": sign_flip_p(gains),
    }


def book_dependence(run: str, rows: Sequence[Row]) -> list[PairedComparison]:
    """Open minus closed, over all tasks and by split: what the documentation in the prompt is worth to the model."""
    books = metrics.by_book(rows)
    if not {"closed", "open"} <= books.keys():
        return []
    sides = Side(run, "closed"), Side(run, "open")
    return _by_split("book dependence", books["closed"], books["open"], sides)


Regime = Callable[[str], str]  # of a book


def runs(
    before: tuple[str, Sequence[Row]],
    after: tuple[str, Sequence[Row]],
    regimes: tuple[Regime, Regime] = (lambda book: "weights", lambda book: "weights"),
) -> list[PairedComparison]:
    """The second run minus the first, in each book that both have. With the book closed this is the internalization
    gain if both had only their weights; otherwise it is named after their regimes."""
    books = metrics.by_book(before[1]), metrics.by_book(after[1])
    comparisons: list[PairedComparison] = []
    for book in books[0].keys() & books[1].keys():
        first, second = (regime(book) for regime in regimes)
        name = "internalization gain" if book == "closed" else f"{book} book"
        if first != second:
            name = f"{second} - {first}"
        elif book == "closed" and first != "weights":
            name = f"{book} book, {first}"
        comparisons += _by_split(name, books[0][book], books[1][book], (Side(before[0], book), Side(after[0], book)))
    return sorted(comparisons, key=lambda comparison: comparison.after.book)


def _by_split(
    name: str, before: Sequence[Row], after: Sequence[Row], sides: tuple[Side, Side]
) -> list[PairedComparison]:
    first, second = metrics.scores(before), metrics.scores(after)
    splits = {row.task["id"]: row.task["split"] for row in before}
    comparisons = [compare(name, first, second, sides)]
    different = list(metrics.group_rows(before, metrics.GROUPS["split"]))
    for split in different if len(different) > 1 else []:
        part = {task: score for task, score in first.items() if splits[task] == split}
        comparisons.append(compare(name, part, second, sides, split))
    return [comparison for comparison in comparisons if comparison]
