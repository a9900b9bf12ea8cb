"""Measures which functions of the library a model knew, and which it confused.

A function is measured by the tasks that need it: how often their answers were right, and how often they called it at
all, whether right or wrong (`Verdict.functions` lists the calls). If a task needs only one function and an answer never
calls it, what it calls instead is a confusion: another function of the library, or a name that the library does not
have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.base.records import Kind
from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import Interval
from sebench.rollout.store import Row


@dataclass(frozen=True)
class FunctionRecall:
    """How well one function is known with one book."""

    book: str
    function: str  # original path: "mean", "linalg.solve"
    forged: str
    subject: str
    accuracy: float | None  # over the tasks that need it
    interval: Interval | None
    tasks: int
    samples: int
    passed: int
    called: int  # number of samples that called it
    called_elsewhere: int  # answers that called it for tasks that do not need it


@dataclass(frozen=True)
class Confusion:
    """What answers to single-function tasks called instead of the needed function."""

    book: str
    function: str
    forged: str
    instead: str  # forged path of another function, or the invented name
    original: str  # original path of `instead`; "" if invented, or needed by no task of the run
    invented: bool
    count: int


@dataclass(frozen=True)
class Invented:
    """A name used in answers that does not exist in the library."""

    book: str
    name: str
    numpy: bool  # whether the name is one of NumPy's own
    count: int


def invented_name(row: Row) -> str:
    """Return the name that the package lacks, if that is why an answer failed; else ""."""
    invented = row.verdict is not None and row.verdict.kind is Kind.FUNCTION_HALLUCINATION
    return metrics.missing_name(row.verdict) if row.verdict and invented else ""


def subjects(tasks: Iterable[Mapping[str, Any]], fallback: Callable[[str], str]) -> dict[str, str]:
    """Return the subject of each original function, from tasks with one subject or else from `fallback`."""
    subject_of: dict[str, str] = {}
    needed: dict[str, None] = {}
    for task in tasks:
        needed |= dict.fromkeys(task["functions"])
        if len(task["subjects"]) == 1:
            subject_of |= dict.fromkeys(task["functions"], task["subjects"][0])
    return {path: subject_of.get(path) or fallback(path) for path in needed}


def functions(rows: Sequence[Row], subject_of: Mapping[str, str]) -> list[FunctionRecall]:
    """Return every function that a task needs, by book, then by subject and name."""
    recalls: list[FunctionRecall] = []
    forged = _forged(rows)
    for book, of_book in metrics.by_book(rows).items():
        counted = [row for row in of_book if metrics.outcome(row).counts]
        calls = Counter(path for row in counted if row.verdict for path in set(row.verdict.functions))
        needing = metrics.group_rows(of_book, lambda row: dict.fromkeys(row.task["functions"]))
        for path, members in sorted(needing.items(), key=lambda item: (subject_of[item[0]], item[0])):
            numbers = metrics.cell(members, book, "function", path)
            called = sum(
                forged[path] in row.verdict.functions for row in members if row.verdict and metrics.outcome(row).counts
            )
            recalls.append(
                FunctionRecall(
                    book=book,
                    function=path,
                    forged=forged[path],
                    subject=subject_of[path],
                    accuracy=numbers.accuracy,
                    interval=numbers.interval,
                    tasks=numbers.tasks,
                    samples=numbers.samples,
                    passed=numbers.passed,
                    called=called,
                    called_elsewhere=calls[forged[path]] - called,
                )
            )
    return recalls


def confusions(rows: Sequence[Row]) -> list[Confusion]:
    """Return what was called instead of the needed function, by book, most frequent first."""
    forged = _forged(rows)
    originals = {path: function for function, path in forged.items()}
    counts: dict[str, Counter[tuple[str, str, bool]]] = defaultdict(Counter)
    for row in rows:
        called = set(row.verdict.functions) if row.verdict and metrics.outcome(row).counts else None
        needed = row.task["functions"][0] if len(row.task["functions"]) == 1 else ""
        if needed and called is not None and forged[needed] not in called:
            counts[row.rollout.book].update((needed, path, False) for path in called)
            if name := invented_name(row):
                counts[row.rollout.book][needed, name, True] += 1
    return [
        Confusion(book, needed, forged[needed], name, "" if new else originals.get(name, ""), new, count)
        for book in sorted(counts)
        for (needed, name, new), count in sorted(counts[book].items(), key=lambda item: (-item[1], item[0]))
    ]


def invented_names(rows: Sequence[Row]) -> list[Invented]:
    """Return every invented name, by book, most frequent first. NumPy's own names among them show prior knowledge."""
    return [
        Invented(book, name, name in metrics.numpy_names(), count)
        for book, of_book in metrics.by_book(rows).items()
        for name, count in sorted(Counter(map(invented_name, of_book)).items(), key=lambda item: (-item[1], item[0]))
        if name
    ]


def _forged(rows: Iterable[Row]) -> dict[str, str]:
    """Return the forged path of each original function that the tasks need."""
    return {path: name for row in rows for path, name in zip(row.task["functions"], row.task["forged"], strict=True)}
