"""Selects which self-made questions to train on, and measures what they cover: the arithmetic of self-play, without a
model.

    selection = select(questions, SelectionSettings(below=1.0), earlier=kept_before)
    coverage(selection.kept, world_functions).effective
    next_targets(kept_so_far, world_functions, count=40, seed=1)      # functions to ask about in the next round

A judged question has passed the gates and has several judged answers from the solver. Its solve rate is the share of
answers that are correct and targeted (the functions in question did the work); answers that could not be judged do not
count.

Covered: solve rates, which questions are left out and why, near-duplicates, function coverage, the variety of wordings,
and the rewards of Absolute Zero (arXiv:2505.03335).
Not covered: whether a question is good; the gates of `author/` decide that.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log

from sebench.base.errors import ConfigError
from sebench.tasks.similarity import THRESHOLD, Questions, word_runs

MALFORMED, WRONG = -1.0, -0.5  # rewards of Absolute Zero for malformed output, and for well-formed but wrong output


@dataclass(frozen=True)
class JudgedQuestion:
    """A question that a model wrote, and the verdicts on its answers to it."""

    id: str
    question: str
    functions: tuple[str, ...]  # the functions it is about
    samples: tuple[bool | None, ...]  # whether each answer is correct and targeted; None if it could not be judged

    @property
    def solve_rate(self) -> float | None:
        """The share of correct answers; None if no answer could be judged."""
        judged = [sample for sample in self.samples if sample is not None]
        return sum(judged) / len(judged) if judged else None


class FilterReason(StrEnum):
    """Why a question is left out, in the order in which the reasons are checked."""

    UNJUDGED = "not judged"
    NEVER = "solved too seldom"
    ALWAYS = "solved too often"
    DUPLICATE = "near-duplicate"
    FULL = "enough of its functions"


@dataclass(frozen=True)
class SelectionSettings:
    """Which questions are kept.

    Solve rates are open-book. A question that is always solved with the book open still teaches its function's name for
    closed-book use, so `below` is off by default. `below=1.0` keeps questions that are neither always nor never solved.
    """

    above: float = 0.0  # the solve rate must be greater than this
    below: float | None = None  # and less than this
    per_function: int = 0  # maximum questions per function, earlier rounds included; 0: no maximum
    alike: float = THRESHOLD  # minimum share of common word runs for a near-duplicate

    def __post_init__(self) -> None:
        if not 0 <= self.above < 1:
            raise ConfigError(f"above = {self.above}: must be at least 0 and less than 1")
        if self.below is not None and not self.above < self.below <= 1:
            raise ConfigError(f"below = {self.below}: must be more than above = {self.above}, and at most 1")
        if self.per_function < 0 or not 0 < self.alike <= 1:
            raise ConfigError(
                f"per_function = {self.per_function} must be 0 or more, and alike = {self.alike} from 0 to 1"
            )

    def rate_reason(self, rate: float | None) -> FilterReason | None:
        """Return why a question with this solve rate is left out, or None if it is kept."""
        if rate is None:
            return FilterReason.UNJUDGED
        if rate <= self.above:
            return FilterReason.NEVER
        return FilterReason.ALWAYS if self.below is not None and rate >= self.below else None


@dataclass(frozen=True)
class Selection:
    """The questions that are kept, and why the others are left out."""

    kept: tuple[JudgedQuestion, ...]
    left_out: Mapping[str, FilterReason]  # by id


def select(
    questions: Sequence[JudgedQuestion], settings: SelectionSettings, earlier: Sequence[JudgedQuestion] = ()
) -> Selection:
    """Choose the questions to train on. The first of several near-duplicates is kept; a question that is left out
    because of its solve rate never makes another one a duplicate."""
    left_out = {a.id: reason for a in questions if (reason := settings.rate_reason(a.solve_rate))}
    candidates = [a for a in questions if a.id not in left_out]
    kept: list[JudgedQuestion] = []
    known = Questions({f"earlier {number}": question.question for number, question in enumerate(earlier)})
    counts = Counter(function for question in earlier for function in question.functions)
    for question in candidates:
        if any(known.alike(question.question, settings.alike)):
            left_out[question.id] = FilterReason.DUPLICATE
            continue
        known.add(question.id, question.question)
        # A question about several functions is kept if one of them still needs questions.
        if settings.per_function and all(counts[f] >= settings.per_function for f in question.functions):
            left_out[question.id] = FilterReason.FULL
            continue
        counts.update(question.functions)
        kept.append(question)
    return Selection(tuple(kept), left_out)


@dataclass(frozen=True)
class Coverage:
    """How questions are distributed over the functions of a world."""

    counts: Mapping[str, int]  # number of questions about each function of the world

    @property
    def covered(self) -> int:
        return sum(1 for count in self.counts.values() if count)

    @property
    def effective(self) -> float:
        """The effective number of functions: how many functions an even distribution with the same entropy would cover.
        40 questions about one function count as 1."""
        total = sum(self.counts.values())
        shares = [count / total for count in self.counts.values() if count]
        return exp(-sum(share * log(share) for share in shares)) if total else 0.0


def coverage(questions: Iterable[JudgedQuestion], functions: Collection[str]) -> Coverage:
    """Return how many questions there are about each of the world's functions. Other functions are ignored."""
    counts = Counter(function for question in questions for function in question.functions)
    return Coverage({function: counts[function] for function in functions})


def next_targets(
    kept: Iterable[JudgedQuestion],
    functions: Collection[str],
    count: int,
    seed: int,
    recall: Mapping[str, float] | None = None,
) -> list[str]:
    """Return the functions to ask about next: those that the model uses correctly least often (if `recall` is given),
    then those with the fewest kept questions; ties are broken by the seed."""
    counts = coverage(kept, functions).counts
    order = sorted(counts)
    random.Random(f"targets:{seed}").shuffle(order)
    # Stable: ties stay shuffled. A function without any answered training question counts as unknown.
    order.sort(key=lambda function: (recall.get(function, 0.0) if recall else 0.0, counts[function]))
    return order[:count]


def variety(questions: Iterable[str]) -> float:
    """Return the number of distinct word runs divided by the number of all runs: 1 if no two questions share a run,
    1/n if all n questions are the same, and 0 if there are none."""
    runs = [word_runs(question) for question in questions]
    total = sum(map(len, runs))
    return len(set().union(*runs)) / total if total else 0.0


def proposer_reward(question: JudgedQuestion | None, readable: bool = True) -> float | None:
    """Return Absolute Zero's reward for a proposal: the harder the better, unless no answer is correct. `question` is
    None if a gate rejected the proposal.

    The reward is None if no answer could be judged.
    """
    if question is None:
        return WRONG if readable else MALFORMED
    rate = question.solve_rate
    return None if rate is None else 1 - rate if rate > 0 else 0.0


def solver_reward(right: bool | None, readable: bool = True) -> float | None:
    """Return Absolute Zero's reward for an answer, or None if it could not be judged."""
    if right is None:
        return None
    return 1.0 if right else WRONG if readable else MALFORMED
