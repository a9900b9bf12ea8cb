"""The cases of a task: drawn from the world's seed, distinct, in every mood that makes sense."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from sebench.bank.definition import Definition
from sebench.bank.kinds import Draw, Impossible, Mood
from sebench.records import Case
from sebench.tasks import gold

EXAMPLES = 2  # shown in the prompt, never scored
LEAST = 8  # scored cases
# The moods of the scored cases; plain ones come first because they tell most programs apart.
MOODS = (Mood.PLAIN,) * 5 + (Mood.SMALL, Mood.TIES, Mood.ZEROS, Mood.EXTREMES, Mood.CONSTANT)
REDRAWS = 25  # for a case that came before
FURTHER = 8  # draws for an example with another answer


@dataclass(frozen=True)
class Cases:
    """What a task is shown with and scored by."""

    examples: tuple[Case, ...]
    scored: tuple[Case, ...]


def draw(definition: Definition, stream: Stream) -> Cases:
    """The cases of a task from its stream."""
    examples = _examples(stream)
    scored = [case for mood in MOODS if mood not in definition.without for case in stream(mood)]
    while len(scored) < LEAST and (more := list(stream(Mood.PLAIN))):
        scored += more
    if len(examples) < EXAMPLES or len(scored) < LEAST:
        total = len(examples) + len(scored)
        raise definition.error(
            f"only {total} different cases can be drawn, {EXAMPLES + LEAST} are needed; widen the inputs"
        )
    return Cases(examples, tuple(scored))


class Stream:
    """Draws cases of a task that did not come before: `stream(mood)` gives one or none."""

    def __init__(self, definition: Definition, seed: int) -> None:
        self.definition = definition
        self.seed = seed
        self.seen: set[str] = set()
        self.drawn = 0

    def __call__(self, mood: Mood) -> Iterator[Case]:
        for _ in range(REDRAWS):
            self.drawn += 1
            rng = random.Random(f"{self.seed}:{self.definition.name}:{self.drawn}")
            case = Draw(rng, mood, self.definition.lengths)
            try:
                inputs = {name: kind.draw(case) for name, kind in self.definition.inputs.items()}
            except Impossible as error:
                raise self.definition.error(f"in mood '{mood}': {error}") from None
            if repr(inputs) not in self.seen:
                self.seen.add(repr(inputs))
                yield Case(inputs, gold.expected(self.definition, inputs))
                return


def _examples(stream: Stream) -> tuple[Case, ...]:
    """Cases to show, with different answers where a few draws have them: two that are both True would show little."""
    shown: list[Case] = []
    for _ in range(EXAMPLES):
        drawn = list(stream(Mood.PLAIN))
        for _ in range(FURTHER):
            if not drawn or all(repr(case.expected) != repr(drawn[-1].expected) for case in shown):
                break
            drawn += stream(Mood.PLAIN)
        shown += drawn[-1:]
        for case in drawn[:-1]:
            stream.seen.discard(repr(case.inputs))  # it may come again
    return tuple(shown)
