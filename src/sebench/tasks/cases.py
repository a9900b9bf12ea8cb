"""Draws the cases of a task from the world's seed: all distinct, and in every mood (style of input) that makes sense
for the task."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.bank.definition import Definition
from sebench.bank.kinds import Draw, Folded, Impossible, Invertible, Mood, PositiveDefinite, Symmetric
from sebench.base.errors import BankError
from sebench.base.records import Case
from sebench.forge.catalog import catalog
from sebench.tasks import gold

EXAMPLES = 2  # shown in the prompt, never scored
LEAST = 8  # scored cases
# The moods of the scored cases; plain ones come first because they distinguish the most programs.
MOODS = (Mood.PLAIN,) * 4 + (Mood.SMALL, Mood.TIES, Mood.ZEROS, Mood.EXTREMES, Mood.CONSTANT, Mood.LARGE, Mood.LARGE)
REDRAWS = 25  # attempts to draw a case that has not been drawn before
CANDIDATES = 10  # draws that the examples are chosen from
COMMONEST = 0.7  # the largest share of the scored cases that one answer may have
BALANCING = 200  # attempts to draw a case whose answer is not the most common one
LARGEST, LONG_ANSWER = 500, 1_000  # values in the inputs and in the answer of a large case
# For these, longer lists change more than the size: products overflow, matrices and polynomials become
# ill-conditioned.
GROWING = frozenset({"prod", "cumprod", "nanprod", "nancumprod", "cumulative_prod", "vander", "ldexp", "left_shift"})
GROWING_SUBJECTS = frozenset({"linalg", "polynomials"})
SQUARE = (Symmetric, PositiveDefinite, Invertible, Folded)
FULL = 12  # values in the inputs of an example; larger ones are no more informative


@dataclass(frozen=True)
class DrawnCases:
    """The examples in a task's prompt, and the cases that score it."""

    examples: tuple[Case, ...]
    scored: tuple[Case, ...]


def draw(definition: Definition, stream: Stream) -> DrawnCases:
    """Draw the cases of a task from its stream."""
    examples = choose_examples(stream)
    without = definition.without | ({Mood.LARGE} if _grows(definition) else set())
    scored = [case for mood in MOODS if mood not in without for case in stream(mood)]
    while len(scored) < LEAST and (more := list(stream(Mood.PLAIN))):
        scored += more
    scored += balancing(definition, scored, stream)
    if len(examples) < EXAMPLES or len(scored) < LEAST:
        total = len(examples) + len(scored)
        raise definition.error(
            f"only {total} different cases can be drawn, but {EXAMPLES + LEAST} are needed; widen the inputs"
        )
    return DrawnCases(examples, tuple(scored))


def _grows(definition: Definition) -> bool:
    """Whether a task gets no large cases, because longer inputs would overflow or become ill-conditioned."""
    known = catalog.by_any_name()
    used = gold.functions(definition.source)
    square = any(isinstance(kind, SQUARE) for kind in definition.inputs.values())
    return square or any(path in GROWING or known[path].subject in GROWING_SUBJECTS for path in used)


def balancing(definition: Definition, scored: Sequence[Case], stream: Stream) -> list[Case]:
    """Draw further cases, so that no single answer is right for too many of them."""
    answers = Counter(repr(case.expected) for case in scored)
    commonest, count = answers.most_common(1)[0] if answers else ("", 0)
    more: list[Case] = []
    for _ in range(BALANCING):
        if count <= COMMONEST * (len(scored) + len(more)):
            return more
        more += [case for case in stream(Mood.PLAIN, "balance") if repr(case.expected) != commonest]
    raise definition.error(f"the answer is {commonest} in nearly all cases; choose inputs with more varied answers")


class Stream:
    """Draws cases for a task that have not been drawn before. Each call `stream(mood)` yields one case, or none."""

    def __init__(self, definition: Definition, seed: int) -> None:
        self.definition = definition
        self.seed = seed
        self.seen: set[str] = set()
        self.draw_counts: Counter[str] = Counter()
        self.rows = list(definition.rows)
        random.Random(f"{seed}:{definition.name}:rows").shuffle(self.rows)

    def __call__(self, mood: Mood, purpose: str = "case") -> Iterator[Case]:
        if self.rows:
            yield from self._next_listed()
            return
        for _ in range(REDRAWS):
            self.draw_counts[purpose] += 1
            rng = random.Random(f"{self.seed}:{self.definition.name}:{purpose}:{self.draw_counts[purpose]}")
            case = Draw(rng, mood, self.definition.lengths)
            try:
                case.fill(self.definition.inputs)
            except Impossible as error:
                if mood is Mood.LARGE:
                    return
                raise self.definition.error(f"the inputs cannot be drawn in the style '{mood}': {error}") from None
            if mood is Mood.LARGE and _size(case.values) > LARGEST:
                continue
            if repr(case.values) not in self.seen:
                self.seen.add(repr(case.values))
                yield from self._case(case.values, mood)
                return

    def _next_listed(self) -> Iterator[Case]:
        """Yield the next listed input that has not been used yet; listed inputs have no moods."""
        for inputs in self.rows:
            if repr(inputs) not in self.seen:
                self.seen.add(repr(inputs))
                yield from self._case(inputs, Mood.PLAIN)
                return

    def _case(self, inputs: Mapping[str, Any], mood: Mood) -> Iterator[Case]:
        try:
            case = Case(inputs, gold.expected(self.definition, inputs))
        except BankError:
            if mood is Mood.LARGE:  # the bank's promises about inputs need not hold for larger ones
                return
            raise
        if mood is not Mood.LARGE or _size(case.expected) <= LONG_ANSWER:
            yield case


def choose_examples(stream: Stream) -> tuple[Case, ...]:
    """Choose the two most informative plain cases: a pair with different answers if there is one, then the pair with
    the most features in inputs and answers, and among equal pairs the one with the larger inputs.
    """
    drawn = [case for _ in range(CANDIDATES) for case in stream(Mood.PLAIN, "example")]
    features = [frozenset((*_features(case.expected, "answer"), *_features(case.inputs, "input"))) for case in drawn]
    sizes = [min(_size(case.inputs), FULL) for case in drawn]

    def worth(pair: tuple[int, int]) -> tuple[bool, int, int]:
        one, other = pair
        differ = repr(drawn[one].expected) != repr(drawn[other].expected)
        return differ, len(features[one] | features[other]), min(sizes[one], sizes[other])

    pairs = [(one, other) for one in range(len(drawn)) for other in range(one + 1, len(drawn))]
    chosen = max(pairs, key=worth, default=())
    for number, case in enumerate(drawn):
        if number not in chosen:
            stream.seen.discard(repr(case.inputs))  # it may be drawn again
    return tuple(drawn[number] for number in chosen)


def _features(value: Any, place: str) -> Iterator[tuple[str, object]]:
    """Yield the visible features of a value: lengths, varied elements, signs, zeros, truth values, non-finite values,
    single values.
    """
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _features(part, f"{place} {key}")
            if not isinstance(part, list | tuple):
                yield place, repr(part)
    elif isinstance(value, list | tuple):
        yield place, len(value)
        for part in value:
            yield from _features(part, f"{place} part")
        if any(part != value[0] for part in value):
            yield place, "varied"
    elif isinstance(value, bool) or value is None:
        yield place, value
    elif isinstance(value, int | float):
        yield place, (math.isfinite(value), value > 0, value < 0)


def _size(value: Any) -> int:
    """Return the total number of scalar values."""
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else None
    return 1 if parts is None else sum(_size(part) for part in parts)
