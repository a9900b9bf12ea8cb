"""Which self-made questions are worth learning from, and what they cover: the arithmetic of self-play, without a model.

    selected = select(attempts, Curriculum(below=1.0), earlier=kept_before)
    coverage(selected.kept, world_functions).effective
    targets(kept_so_far, world_functions, count=40, seed=1)      # functions to ask about in the next round

An attempt is a question that passed the gates, with several answers of the solver, each judged. Its solve rate is the share of answers
that were right and targeted; answers whose judgement failed for another's fault do not count.

Covered: solve rates, the order in which questions are left out and why, near-duplicates, function coverage, the variety of wordings, and
the rewards of Absolute Zero (arXiv:2505.03335). Not covered: whether a question is any good; the gates of `author/` say that.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log

from sebench.base.errors import ConfigError
from sebench.tasks.similarity import THRESHOLD, near_duplicates, word_runs

MALFORMED, WRONG = -1.0, -0.5  # rewards of Absolute Zero for what cannot be read, and for what is read and wrong


@dataclass(frozen=True)
class JudgedQuestion:
    """A question that a model made, and what became of its answers to it."""

    id: str
    question: str
    functions: tuple[str, ...]  # that it is about
    samples: tuple[bool | None, ...]  # right and targeted; None for a fault that is not the solver's

    @property
    def solve_rate(self) -> float | None:
        """The share of right answers; None where no answer could be judged."""
        judged = [sample for sample in self.samples if sample is not None]
        return sum(judged) / len(judged) if judged else None


class FilterReason(StrEnum):
    """Why a question is left out, in the order in which reasons are looked for."""

    UNJUDGED = "not judged"
    NEVER = "solved too seldom"
    ALWAYS = "solved too often"
    DUPLICATE = "near-duplicate"
    FULL = "enough of its functions"


@dataclass(frozen=True)
class SelectionSettings:
    """Which questions are kept.

    Solve rates are open book. There, a question that is always solved still teaches its function's name once the book is closed: so only
    `above` has a default. `below=1.0` keeps what is neither always nor never solved.
    """

    above: float = 0.0  # the solve rate must be greater
    below: float | None = None  # and less
    per_function: int = 0  # at most so many kept questions about a function, earlier rounds included; 0: any number
    alike: float = THRESHOLD  # shared word runs from which a question is a near-duplicate

    def __post_init__(self) -> None:
        if not 0 <= self.above < 1 or (self.below is not None and not self.above < self.below <= 1):
            raise ConfigError(f"curriculum above {self.above}, below {self.below}: give 0 <= above < below <= 1")
        if self.per_function < 0 or not 0 < self.alike <= 1:
            raise ConfigError(
                f"curriculum per_function {self.per_function}, alike {self.alike}: give 0 or more; 0 to 1"
            )

    def rate_reason(self, rate: float | None) -> FilterReason | None:
        """What speaks against a question with this solve rate."""
        if rate is None:
            return FilterReason.UNJUDGED
        if rate <= self.above:
            return FilterReason.NEVER
        return FilterReason.ALWAYS if self.below is not None and rate >= self.below else None


@dataclass(frozen=True)
class Selection:
    """What is kept of a round, and why the rest is not."""

    kept: tuple[JudgedQuestion, ...]
    left_out: Mapping[str, FilterReason]  # by id


def select(
    attempts: Sequence[JudgedQuestion], curriculum: SelectionSettings, earlier: Sequence[JudgedQuestion] = ()
) -> Selection:
    """The questions to learn from. Of near-duplicates the first stays, and one that is left out crowds nothing out."""
    left_out = {a.id: reason for a in attempts if (reason := curriculum.rate_reason(a.solve_rate))}
    candidates = [a for a in attempts if a.id not in left_out]
    left_out |= dict.fromkeys(_duplicates(candidates, earlier, curriculum.alike), FilterReason.DUPLICATE)
    kept: list[JudgedQuestion] = []
    counts = Counter(function for attempt in earlier for function in attempt.functions)
    for attempt in candidates:
        if attempt.id in left_out:
            continue
        # One function that still needs questions is enough to keep one that is about several.
        if curriculum.per_function and all(counts[f] >= curriculum.per_function for f in attempt.functions):
            left_out[attempt.id] = FilterReason.FULL
            continue
        counts.update(attempt.functions)
        kept.append(attempt)
    return Selection(tuple(kept), left_out)


def _duplicates(candidates: Sequence[JudgedQuestion], earlier: Sequence[JudgedQuestion], alike: float) -> set[str]:
    """Candidates that are too much like an earlier question, or like a candidate before them that stays."""
    places = {("earlier", a.id): a.question for a in earlier} | {("now", a.id): a.question for a in candidates}
    names = {str(number): place for number, place in enumerate(places)}
    numbered = {name: places[place] for name, place in names.items()}
    close: dict[str, list[str]] = {name: [] for name in names}
    for _, first, second in near_duplicates(numbered, alike):
        close[second].append(first)
    out: set[str] = set()
    for name, place in names.items():
        if place[0] == "now" and any(other not in out for other in close[name]):
            out.add(name)
    return {names[name][1] for name in out}


@dataclass(frozen=True)
class Coverage:
    """How questions spread over the functions of a world."""

    counts: Mapping[str, int]  # questions about each function, all functions of the world

    @property
    def covered(self) -> int:
        return sum(1 for count in self.counts.values() if count)

    @property
    def share(self) -> float:
        return self.covered / len(self.counts) if self.counts else 0.0

    @property
    def effective(self) -> float:
        """How many functions an even spread of the same entropy would cover: 40 questions about one function are 1."""
        total = sum(self.counts.values())
        if not total:
            return 0.0
        shares = [count / total for count in self.counts.values() if count]
        return exp(-sum(share * log(share) for share in shares))


def coverage(questions: Iterable[JudgedQuestion], functions: Collection[str]) -> Coverage:
    """The spread over the world's functions; a question about none of them counts for nothing."""
    counts = dict.fromkeys(functions, 0)
    for question in questions:
        for function in question.functions:
            if function in counts:
                counts[function] += 1
    return Coverage(counts)


def next_targets(kept: Iterable[JudgedQuestion], functions: Collection[str], count: int, seed: int) -> list[str]:
    """The functions to ask about next: those with the fewest kept questions; the seed decides among equals."""
    counts = coverage(kept, functions).counts
    order = sorted(counts)
    random.Random(f"targets:{seed}").shuffle(order)
    order.sort(key=lambda function: counts[function])  # stable: equals stay shuffled
    return order[:count]


def variety(questions: Iterable[str]) -> float:
    """Distinct runs of words over all runs: 1 where no two questions share one, near 0 where all are the same. 0 for no questions."""
    runs = [word_runs(question) for question in questions]
    total = sum(map(len, runs))
    return len(set().union(*runs)) / total if total else 0.0


def proposer_reward(attempt: JudgedQuestion | None, readable: bool = True) -> float | None:
    """Absolute Zero's reward of a proposal: the harder the better, unless nobody solves it. None (the proposal) did not pass the gates: it
    loses as an answer does, less where it has the asked form.

    None is given where no answer could be judged: that is nobody's merit or fault.
    """
    if attempt is None:
        return WRONG if readable else MALFORMED
    rate = attempt.solve_rate
    return None if rate is None else 1 - rate if rate > 0 else 0.0


def solver_reward(right: bool | None, readable: bool = True) -> float | None:
    """Absolute Zero's reward of an answer; None for a fault that is not the solver's."""
    if right is None:
        return None
    return 1.0 if right else WRONG if readable else MALFORMED
