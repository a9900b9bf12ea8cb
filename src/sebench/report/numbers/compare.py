"""Comparisons over the same tasks: paired differences between books or runs, and the ratio of closed to native.

Only tasks that count on both sides are included, each with its difference of means. Pairing removes the difficulty of
tasks from the uncertainty. It makes sense only for the same tasks in the same world, which `build.py` ensures.
P-values are for single comparisons, without a correction for multiple testing.

The native book measures how well a model knows NumPy itself, and what share of that it can do in the forged library
without documentation. Accuracy with the native book is that of the translated answers, judged like all others. It is
reported together with the accuracy without untranslatable answers, and with that of the original answers, run with
NumPy, so that translation cannot distort it unnoticed. `ratio_base` is closed-book accuracy divided by native accuracy,
over the tasks that count in both, for one run or for two runs on the same world. With fewer than `LEAST` native
successes there is no ratio, because a tiny denominator says nothing.

Not covered: ratios over several worlds (`experiment.py` has them for training methods).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.base.records import Kind
from sebench.base.wording import counted
from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import (
    Interval,
    accuracy_interval,
    difference_interval,
    ratio_interval,
    sign_flip_p,
)
from sebench.report.numbers.metrics import TaskScore
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row

NATIVE = "native"  # the book
LEAST = 20  # native successes needed for a ratio


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a run (by its name in the report) and the book that it was given."""

    run: str
    book: str


@dataclass(frozen=True)
class PairedComparison:
    """The accuracy of `after` minus that of `before`, over the tasks that count on both sides."""

    name: str  # "book dependence", "closed book", "open book"
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
    """Return the comparison, or None if no task counts on both sides."""
    shared = metrics.shared_tasks(before, after)
    numbers = paired_numbers([before[t].mean for t in shared], [after[t].mean for t in shared])
    return PairedComparison(name, *sides, split, len(shared), **numbers) if numbers else None


def paired_numbers(before: Sequence[float], after: Sequence[float]) -> dict[str, Any]:
    """Return the statistics of a paired comparison, by field name; {} if there are no tasks."""
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
    """Return open-book minus closed-book accuracy, over all tasks and by split: what the documentation in the prompt is
    worth to the model."""
    books = metrics.by_book(rows)
    if not {"closed", "open"} <= books.keys():
        return []
    sides = Side(run, "closed"), Side(run, "open")
    return _by_split("book dependence", books["closed"], books["open"], sides)


AtHand = Callable[[str], str]  # what was at hand with a book


def runs(
    before: tuple[str, Sequence[Row]],
    after: tuple[str, Sequence[Row]],
    at_hand: tuple[AtHand, AtHand] = (lambda book: "weights", lambda book: "weights"),
) -> list[PairedComparison]:
    """Return the accuracy of the second run minus that of the first, with each book that both have. A difference is
    named after the book, or after what was at hand if that differs; the name of the closed book includes anything at
    hand other than "weights". (Whether a closed-book difference is an internalization gain is for the reader to say:
    nothing here knows which model was trained from which.)"""
    books = metrics.by_book(before[1]), metrics.by_book(after[1])
    comparisons: list[PairedComparison] = []
    for book in books[0].keys() & books[1].keys():
        first, second = (of_run(book) for of_run in at_hand)
        name = f"{book} book"
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


# ---- the native book ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Share:
    """A share of answers with its interval; None if no answer counts."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True)
class NativeBook:
    """How well one run knows NumPy."""

    run: str
    tasks: int
    answers: int  # answers that count
    untranslated: int
    accuracy: Share  # untranslated answers count as wrong
    translated: Share  # untranslated answers are left out
    with_numpy: (
        Share  # the answers as written, run with NumPy; one that was not run (no code, a forbidden import) is not right
    )


@dataclass(frozen=True)
class Ratio:
    """`ratio_base`: accuracy with the book closed divided by accuracy with the native book."""

    closed: Side
    native: Side
    tasks: int  # tasks that count on both sides
    successes: int  # right native answers
    ratio: float | None  # None below `LEAST` successes
    interval: Interval | None
    kept: float | None  # share of the right native answers that are also right with the book closed


def native_books(runs: Iterable[Source]) -> list[NativeBook]:
    """Return one entry for each run that has a native book."""
    return [_native_book(run.name, rows) for run in runs if (rows := metrics.by_book(run.scored).get(NATIVE))]


def _native_book(run: str, rows: Sequence[Row]) -> NativeBook:
    counted = [row for row in rows if metrics.outcome(row).counts]
    kept = [row for row in counted if row.verdict and row.verdict.kind is not Kind.UNTRANSLATED]
    return NativeBook(
        run=run,
        tasks=len({row.rollout.task_id for row in counted}),
        answers=len(counted),
        untranslated=len(counted) - len(kept),
        accuracy=share([score.mean for score in metrics.scores(counted).values()]),
        translated=share([score.mean for score in metrics.scores(kept).values()]),
        with_numpy=share(task_means(counted, lambda row: bool(row.verdict and row.verdict.numpy_passed))),
    )


def ratios(runs: Sequence[Source]) -> list[Ratio]:
    """For every run with a native book, return the ratio of its closed-book accuracy, and of that of every other run on
    the same world, to its native accuracy, over the tasks about functions that do what NumPy's do. Scripted baselines
    are compared only with themselves."""
    return [
        ratio(metrics.scores(above), metrics.scores(below), (Side(closed.name, "closed"), Side(native.name, NATIVE)))
        for native in runs
        if (below := metrics.by_book(_comparable(native)).get(NATIVE))
        for closed in runs
        if closed is native or (closed.fingerprint == native.fingerprint and not native.reference | closed.reference)
        if (above := metrics.by_book(_comparable(closed)).get("closed"))
    ]


def _comparable(run: Source) -> list[Row]:
    """Return the rows whose tasks are the same in NumPy, that is, not about functions that differ from NumPy's."""
    return [row for row in run.scored if not metrics.is_changed(row)]


def ratio(closed: Mapping[str, TaskScore], native: Mapping[str, TaskScore], sides: tuple[Side, Side]) -> Ratio:
    """Return the ratio over the tasks that count on both sides."""
    shared = sorted(metrics.shared_tasks(native, closed))
    above, below = [closed[t].mean for t in shared], [native[t].mean for t in shared]
    numbers = ratio_numbers(above, below, sum(native[t].passed for t in shared))
    both = sum(c * n for c, n in zip(above, below, strict=True))
    return Ratio(*sides, len(shared), **numbers, kept=both / sum(below) if numbers["ratio"] is not None else None)


def ratio_numbers(above: Sequence[float], below: Sequence[float], successes: int) -> dict[str, Any]:
    """Return the statistics of a ratio, by field name."""
    enough = successes >= LEAST
    return {
        "successes": successes,
        "ratio": sum(above) / sum(below) if enough else None,
        "interval": ratio_interval(above, below) if enough else None,
    }


def native_lines(books: Sequence[NativeBook], compared: Sequence[Ratio]) -> Iterator[str]:
    """Yield the lines about the native book, formatted for a terminal."""
    for one in books:
        without = "" if one.translated.value is None else f", and without those it is {_format_share(one.translated)}"
        yield (
            f"native book of {one.run}: {_format_share(one.accuracy)}; {one.untranslated:,} of "
            f"{counted(one.answers, 'answer')} could not be translated{without}; "
            f"run as written, with NumPy: {_format_share(one.with_numpy)}"
        )
    for pair in compared:
        one_run = pair.closed.run == pair.native.run
        label = f"of {pair.closed.run}" if one_run else f"closed of {pair.closed.run} / native of {pair.native.run}"
        if pair.ratio is None or pair.interval is None or pair.kept is None:
            few = f"{counted(pair.successes, 'native success', 'native successes')}, and {LEAST} are needed"
            yield f"ratio_base {label}: not computed, because there are only {few}"
            continue
        yield (
            f"ratio_base {label}: {pair.ratio:.3f} ({pair.interval.low:.3f} to {pair.interval.high:.3f}), closed / "
            f"native over {counted(pair.tasks, 'task')}; of the answers that are right in NumPy, {pair.kept:.1%} are "
            "also right with the book closed"
        )


def _format_share(share: Share) -> str:
    if share.value is None or share.interval is None:
        return "–"
    return f"{share.value:.1%} ({100 * share.interval.low:.1f} to {100 * share.interval.high:.1f})"


def share(means: Sequence[float]) -> Share:
    """Return the mean of these means, with its interval."""
    return Share(metrics.mean(means), accuracy_interval(means))


def task_means(rows: Iterable[Row], holds: Callable[[Row], bool]) -> list[float]:
    """For each task, return the share of answers for which `holds` is true."""
    results: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        results[row.rollout.task_id].append(holds(row))
    return [sum(of_task) / len(of_task) for of_task in results.values()]
