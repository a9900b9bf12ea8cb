"""The native book: how well a model knows NumPy itself, and what share of that it can do in the forged library without
the book.

Accuracy with the native book is that of the translated answers, judged like all others. It is reported together with
the accuracy without untranslatable answers, and with that of the original answers, run with NumPy, so that translation
cannot distort it unnoticed. `ratio_base` is closed over native accuracy, over the tasks that count in both: of one run,
or of two runs on the same world. With fewer than `LEAST` native successes there is no ratio: a tiny denominator says
nothing.

Not covered: ratios over several worlds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.base.records import Kind
from sebench.report.numbers import metrics
from sebench.report.numbers.compare import Side
from sebench.report.numbers.intervals import Interval, accuracy_interval, ratio_interval
from sebench.report.numbers.metrics import TaskScore
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row

BOOK = "native"
LEAST = 20  # native successes


@dataclass(frozen=True)
class Share:
    """An accuracy with its interval; None if nothing counts."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True)
class NativeBook:
    """How well one run knows NumPy."""

    run: str
    tasks: int
    answers: int  # that count
    untranslated: int
    accuracy: Share  # untranslated answers count as wrong
    translated: Share  # untranslated answers are left out
    with_numpy: (
        Share  # the answers as they were written; one that was not run (no code, a forbidden import) is not right
    )


@dataclass(frozen=True)
class Ratio:
    """`ratio_base`: accuracy with the book closed over accuracy with the native book."""

    closed: Side
    native: Side
    tasks: int  # that count on both sides
    successes: int  # native answers that are right
    ratio: float | None  # None below `LEAST` successes
    interval: Interval | None
    kept: float | None  # of what is right natively, the share that is right closed


def native_books(runs: Iterable[Source]) -> list[NativeBook]:
    """One for each run that has a native book."""
    return [_native_book(run.name, rows) for run in runs if (rows := metrics.by_book(run.scored).get(BOOK))]


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
    """For each run with a native book, the ratio with its own closed book and with that of other runs on the same
    world. Reference lines are compared with themselves alone."""
    return [
        ratio(metrics.scores(above), metrics.scores(below), (Side(closed.name, "closed"), Side(native.name, BOOK)))
        for native in runs
        if (below := metrics.by_book(native.scored).get(BOOK))
        for closed in runs
        if closed is native or (closed.fingerprint == native.fingerprint and not native.reference | closed.reference)
        if (above := metrics.by_book(closed.scored).get("closed"))
    ]


def ratio(closed: Mapping[str, TaskScore], native: Mapping[str, TaskScore], sides: tuple[Side, Side]) -> Ratio:
    """The ratio over the tasks that count on both sides."""
    shared = sorted(metrics.shared_tasks(native, closed))
    above, below = [closed[t].mean for t in shared], [native[t].mean for t in shared]
    numbers = ratio_numbers(above, below, sum(native[t].passed for t in shared))
    both = sum(c * n for c, n in zip(above, below, strict=True))
    return Ratio(*sides, len(shared), **numbers, kept=both / sum(below) if numbers["ratio"] is not None else None)


def ratio_numbers(above: Sequence[float], below: Sequence[float], successes: int) -> dict[str, Any]:
    """What every ratio says, by the names of its fields."""
    enough = successes >= LEAST
    return {
        "successes": successes,
        "ratio": sum(above) / sum(below) if enough else None,
        "interval": ratio_interval(above, below) if enough else None,
    }


def native_lines(books: Sequence[NativeBook], compared: Sequence[Ratio]) -> Iterator[str]:
    """The lines for a terminal."""
    for one in books:
        yield (
            f"native book of {one.run}: {_format_share(one.accuracy)}; {one.untranslated:,} of {one.answers:,} answers "
            "not translated, "
            f"without them {_format_share(one.translated)}; as written, with NumPy: {_format_share(one.with_numpy)}"
        )
    for pair in compared:
        one_run = pair.closed.run == pair.native.run
        label = f"of {pair.closed.run}" if one_run else f"closed of {pair.closed.run} / native of {pair.native.run}"
        if pair.ratio is None or pair.interval is None or pair.kept is None:
            yield f"ratio_base {label}: none, {pair.successes} native successes are fewer than {LEAST}"
            continue
        yield (
            f"ratio_base {label}: {pair.ratio:.3f} ({pair.interval.low:.3f} to {pair.interval.high:.3f}), closed / "
            "native over "
            f"{pair.tasks:,} tasks; of what is right in NumPy, {pair.kept:.1%} is right closed"
        )


def _format_share(share: Share) -> str:
    if share.value is None or share.interval is None:
        return "–"
    return f"{share.value:.1%} ({100 * share.interval.low:.1f} to {100 * share.interval.high:.1f})"


def share(means: Sequence[float]) -> Share:
    """The mean of these means, with its interval."""
    return Share(metrics.mean(means), accuracy_interval(means))


def task_means(rows: Iterable[Row], holds: Callable[[Row], bool]) -> list[float]:
    """For each task, the share of answers for which `holds` is true."""
    results: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        results[row.rollout.task_id].append(holds(row))
    return [sum(of_task) / len(of_task) for of_task in results.values()]
