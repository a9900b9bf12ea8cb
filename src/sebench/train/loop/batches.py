"""Determines which rows make up each step, and in which order. Everything follows from the seed, so an interrupted run
resumes with the same steps.

A step has a fixed number of rows, whatever their length, so two runs on the same examples take the same steps, with or
without pages in the prompts. The rows of a step are split into packs, which go through the model one after another;
memory limits the size of a pack (`loop.py`). The gradient does not depend on the split, because the loss of every pack
is divided by the number of learnt tokens in the whole step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sebench.train.data.tokens import TokenRow

Pack = tuple[TokenRow, ...]


@dataclass(frozen=True)
class TrainingStep:
    """The rows of one update."""

    number: int  # starting at 0
    epoch: int
    rows: tuple[TokenRow, ...]

    @property
    def tokens(self) -> int:
        return size(self.rows)

    @property
    def learnt(self) -> int:
        return sum(row.learnt for row in self.rows)


def size(rows: Sequence[TokenRow]) -> int:
    """Return the total number of tokens."""
    return sum(len(row.ids) for row in rows)


def steps(rows: Sequence[TokenRow], epochs: int, batch: int, seed: int) -> list[TrainingStep]:
    """Return every step of a training run. No row is left out: the last step of an epoch may be smaller."""
    all_steps: list[TrainingStep] = []
    for epoch in range(epochs):
        order = list(rows)
        random.Random(f"epoch:{seed}:{epoch}").shuffle(order)
        for start in range(0, len(order), batch):
            all_steps.append(TrainingStep(len(all_steps), epoch, tuple(order[start : start + batch])))
    return all_steps


def packs(rows: Sequence[TokenRow], max_tokens: int) -> Iterator[Pack]:
    """Split the rows into packs of at most `max_tokens` tokens, but at least one row each."""
    pack: list[TokenRow] = []
    for row in rows:
        if pack and size(pack) + len(row.ids) > max_tokens:
            yield tuple(pack)
            pack = []
        pack.append(row)
    if pack:
        yield tuple(pack)
