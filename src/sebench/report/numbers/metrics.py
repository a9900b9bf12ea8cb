"""Computes numbers from the rows of a run: accuracy, pass@k, error kinds and totals. Pure functions; intervals are in
`intervals.py`.

A response counts if it passed, or if it is wrong by the candidate's fault. A missing response, one without a verdict,
and a fault of the sandbox, the task or the provider are neither right nor wrong: they are excluded from the denominator
and counted separately, by reason.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from math import comb, fsum
from statistics import median
from typing import Any

import numpy as np

from sebench.base.records import Blame, Kind, Verdict
from sebench.report.numbers.intervals import Interval, accuracy_interval
from sebench.rollout.store import Row

PUBLISHED = (
    Kind.FUNCTION_HALLUCINATION,
    Kind.ATTRIBUTE_HALLUCINATION,
    Kind.PARAMETER_ERROR,
    Kind.MISREAD_RESULT,
    Kind.NATIVE_INCOMPATIBILITY,
)
"""The published error types, in the order in which tables show them."""

BOOK_ORDER = ("closed", "open", "native")
SPLIT_ORDER = ("single_test", "multi_test", "transfer_test", "plan_test", "train")


class AnswerOutcome(StrEnum):
    """How a response counts."""

    PASSED = "passed"
    WRONG = "wrong"
    NO_RESPONSE = "no_response"  # the provider returned none
    UNJUDGED = "unjudged"
    FAULT = "fault"  # a fault of the sandbox, the task or the provider

    @property
    def counts(self) -> bool:
        return self in (AnswerOutcome.PASSED, AnswerOutcome.WRONG)


@dataclass(frozen=True)
class TaskScore:
    """The number of responses to one task in one cell of a report (a book and a group of tasks), and how many are
    right."""

    task_id: str
    samples: int  # samples that count
    passed: int
    excluded: int = 0
    targeted: int | None = None  # passed with credit; None if that is not known for every passed answer

    @property
    def mean(self) -> float:
        return self.passed / self.samples

    @property
    def targeted_mean(self) -> float | None:
        return None if self.targeted is None else self.targeted / self.samples

    def plus(self, other: TaskScore) -> TaskScore:
        """Return the score over the samples of both."""
        known = self.targeted is not None and other.targeted is not None
        return TaskScore(
            self.task_id,
            self.samples + other.samples,
            self.passed + other.passed,
            self.excluded + other.excluded,
            (self.targeted or 0) + (other.targeted or 0) if known else None,
        )


@dataclass(frozen=True)
class PassAt:
    """pass@k, over the tasks that have at least k samples."""

    k: int
    value: float | None
    tasks: int


@dataclass(frozen=True)
class Cell:
    """The numbers for one group of tasks with one book."""

    book: str
    group: str  # "all" or one of GROUPS
    value: str  # "single_test", "4", "statistics"; "" for all
    accuracy: float | None  # None if nothing counts
    interval: Interval | None
    targeted: float | None  # accuracy that counts only answers using the task's core functions; None if unknown
    targeted_interval: Interval | None
    pass_at: tuple[PassAt, ...]
    tasks: int  # tasks with at least one sample that counts
    samples: int
    passed: int
    excluded: Mapping[str, int]  # by reason; reasons that did not occur are left out


@dataclass(frozen=True)
class ErrorKind:
    """How many wrong answers were of one kind."""

    book: str
    kind: str
    published: bool
    count: int
    share: float  # as a share of the wrong answers with this book
    # How many of them use a name that NumPy has and the library lacks, which shows prior knowledge.
    numpy_names: int = 0


@dataclass(frozen=True)
class Totals:
    """The cost of all responses with one book."""

    book: str
    responses: int
    cut: int  # responses that were cut off at the token limit
    prompt_tokens: int
    completion_tokens: int
    median_s: float  # seconds from request to answer
    model_s: float  # summed over responses, which overlap in time, so the run took less
    judge_cpu_s: float


def outcome(row: Row) -> AnswerOutcome:
    """Return how a row counts."""
    if row.rollout.error:
        return AnswerOutcome.NO_RESPONSE
    if row.verdict is None:
        return AnswerOutcome.UNJUDGED
    if row.verdict.passed:
        return AnswerOutcome.PASSED
    faulty = row.verdict.kind is Kind.FAULT or row.verdict.blame in (Blame.SANDBOX, Blame.TASK, Blame.PROVIDER)
    return AnswerOutcome.FAULT if faulty else AnswerOutcome.WRONG


def is_right(row: Row) -> bool:
    return outcome(row) is AnswerOutcome.PASSED


def is_changed(row: Row) -> bool:
    """Whether the task is about a function that differs from NumPy's."""
    return bool(row.task.get("changed"))


def scores(rows: Iterable[Row]) -> dict[str, TaskScore]:
    """Return the scores for one book by task, ordered by id, including tasks without an answer that counts (samples =
    0)."""
    outcomes: dict[str, Counter[AnswerOutcome]] = defaultdict(Counter)
    credit: dict[str, list[bool | None]] = defaultdict(list)
    for row in rows:
        what = outcome(row)
        outcomes[row.rollout.task_id][what] += 1
        if what is AnswerOutcome.PASSED and row.verdict:
            credit[row.rollout.task_id].append(row.verdict.targeted)
    return {
        task_id: TaskScore(
            task_id,
            samples=counts[AnswerOutcome.PASSED] + counts[AnswerOutcome.WRONG],
            passed=counts[AnswerOutcome.PASSED],
            excluded=sum(count for what, count in counts.items() if not what.counts),
            targeted=None if None in credit[task_id] else credit[task_id].count(True),
        )
        for task_id, counts in sorted(outcomes.items())
    }


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def accuracy(scored: Iterable[TaskScore]) -> float | None:
    """Return the mean over tasks of the mean over samples; every task has the same weight, however many of its samples
    count."""
    return mean(score.mean for score in scored if score.samples)


def shared_tasks(before: Mapping[str, TaskScore], after: Mapping[str, TaskScore]) -> list[str]:
    """Return the tasks that count on both sides."""
    return [task for task, score in before.items() if score.samples and task in after and after[task].samples]


def pass_at_k(samples: int, passed: int, k: int) -> float:
    """Return the unbiased estimate of the probability that k samples, drawn without replacement, contain a right
    one."""
    return 1 - comb(samples - passed, k) / comb(samples, k)


def pass_at(scored: Sequence[TaskScore]) -> tuple[PassAt, ...]:
    """Return pass@1, 2, 4, ... and that of the largest number of samples, each over the tasks that have at least k
    samples."""
    most = max((score.samples for score in scored), default=0)
    values = {
        k: [pass_at_k(score.samples, score.passed, k) for score in scored if score.samples >= k]
        for k in sorted({*(2**power for power in range(most.bit_length())), *([most] if most else [])})
    }
    return tuple(PassAt(k, mean(at_k), len(at_k)) for k, at_k in values.items())


def cell(rows: Sequence[Row], book: str, group: str = "all", value: str = "") -> Cell:
    """Return the numbers for these rows, which all have the same book."""
    scored = [score for score in scores(rows).values() if score.samples]
    reasons = Counter(what.value for row in rows if not (what := outcome(row)).counts)
    credited = [share for score in scored if (share := score.targeted_mean) is not None]
    credited = credited if len(credited) == len(scored) else []  # only if known for all tasks
    return Cell(
        book=book,
        group=group,
        value=value,
        accuracy=accuracy(scored),
        interval=accuracy_interval([score.mean for score in scored]),
        targeted=mean(credited),
        targeted_interval=accuracy_interval(credited),
        pass_at=pass_at(scored),
        tasks=len(scored),
        samples=sum(score.samples for score in scored),
        passed=sum(score.passed for score in scored),
        excluded=dict(sorted(reasons.items())),
    )


def up_to(most: int, n: int) -> str:
    """Return the label of a number as reports group it: "3", but "5+" for `most` and above."""
    return str(n) if n < most else f"{most}+"


def _from_card(row: Row, name: str, format_value: Callable[[Any], str]) -> Iterable[str]:
    """Return the label of a value on a task's card, as reports group it; empty if the card lacks it."""
    card = row.task.get("card") or {}
    return (format_value(card[name]),) if card.get("tier") and card.get(name) is not None else ()


GROUPS: Mapping[str, Callable[[Row], Iterable[str]]] = {
    "all": lambda row: ("",),
    "split": lambda row: (row.task["split"],),
    "composed": lambda row: (up_to(5, len(row.task["functions"])),),  # functions that the task composes; 0: unknown
    "needed": lambda row: _from_card(row, "needed", partial(up_to, 5)),
    "options": lambda row: _from_card(row, "options", lambda options: "some" if options else "none"),
    "statements": lambda row: _from_card(row, "statements", partial(up_to, 4)),
    "difficulty": lambda row: _from_card(row, "difficulty", lambda share: "all right" if share == 0 else "some wrong"),
    "subject": lambda row: row.task["subjects"],
}
"""Which cells a row belongs to. A task with several subjects is in the cell of each; one without a card is in
none of the card's cells."""


def by_book(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the rows by book, closed first."""
    return group_rows(rows, lambda row: (row.rollout.book,), BOOK_ORDER)


def group_rows(
    rows: Iterable[Row], values_of: Callable[[Row], Iterable[str]], order: Sequence[str] = SPLIT_ORDER
) -> dict[str, list[Row]]:
    """Return the rows by value: first the known values in their order, then the others by name."""
    rows_by_value: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for value in values_of(row):
            rows_by_value[value].append(row)
    return {value: rows_by_value[value] for value in sorted(rows_by_value, key=place(order))}


def cells(rows: Iterable[Row]) -> list[Cell]:
    """Return every cell of a report: for each book, one for all tasks and one for each group of tasks."""
    return [
        cell(members, book, group, value)
        for book, of_book in by_book(rows).items()
        for group, values_of in GROUPS.items()
        for value, members in group_rows(of_book, values_of).items()
    ]


def error_kinds(rows: Iterable[Row]) -> list[ErrorKind]:
    """Return the wrong answers with each book by kind: all five published types first, then the others that
    occurred."""
    kinds: list[ErrorKind] = []
    for book, of_book in by_book(rows).items():
        verdicts = [row.verdict for row in of_book if row.verdict and outcome(row) is AnswerOutcome.WRONG]
        wrong = Counter(verdict.kind for verdict in verdicts)
        original = Counter(verdict.kind for verdict in verdicts if missing_name(verdict) in numpy_names())
        total = wrong.total()
        others = sorted((kind for kind in wrong if kind not in PUBLISHED), key=lambda kind: (-wrong[kind], kind))
        for kind in (*PUBLISHED, *others):
            share = wrong[kind] / total if total else 0.0
            kinds.append(ErrorKind(book, kind.value, kind in PUBLISHED, wrong[kind], share, original[kind]))
    return kinds


# Python's messages for a name that the package, or its array, lacks (judge/taxonomy.py).
_MISSING = {
    Kind.FUNCTION_HALLUCINATION: (
        re.compile(r"module '[\w.]+' has no attribute '(\w+)'"),
        re.compile(r"cannot import name '(\w+)' from"),
        re.compile(r"No module named '\w+\.([\w.]+)'"),
    ),
    Kind.ATTRIBUTE_HALLUCINATION: (re.compile(r"'\w+' object has no attribute '(\w+)'"),),
}


def missing_name(verdict: Verdict) -> str:
    """Return the name that the library lacks, if that is why an answer failed; else ""."""
    patterns = _MISSING.get(verdict.kind, ())
    match = next((match for pattern in patterns if (match := pattern.search(verdict.detail))), None)
    return match[1] if match else ""


@cache
def numpy_names() -> frozenset[str]:
    """Return the public names of the installed NumPy: functions, their modules, and methods of arrays."""
    places = (np, np.linalg, np.fft, np.random, np.ndarray)
    return frozenset(name for place in places for name in dir(place) if not name.startswith("_"))


def totals(rows: Iterable[Row]) -> list[Totals]:
    """Return tokens and time by book."""
    return [_totals(book, [row for row in of_book if not row.rollout.error]) for book, of_book in by_book(rows).items()]


def _totals(book: str, answered: Sequence[Row]) -> Totals:
    return Totals(
        book=book,
        responses=len(answered),
        cut=sum(row.rollout.finish == "length" for row in answered),
        prompt_tokens=sum(row.rollout.prompt_tokens for row in answered),
        completion_tokens=sum(row.rollout.completion_tokens for row in answered),
        median_s=round(median([row.rollout.seconds for row in answered] or [0.0]), 3),
        model_s=round(fsum(row.rollout.seconds for row in answered), 3),
        judge_cpu_s=round(fsum(row.verdict.cpu_s for row in answered if row.verdict), 3),
    )


def place(order: Sequence[str]) -> Callable[[str], tuple[int, str]]:
    """Return a sort key that puts the known values first, in their order, and then the others by name."""
    return lambda value: (order.index(value) if value in order else len(order), value)
