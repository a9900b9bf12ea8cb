"""Which rows make up a step, and in which order: determined by the seed, so that an interrupted training continues with
the same steps.

A step has a fixed number of rows, whatever their length: two trainings on the same examples take the same steps, with
pages in the prompts or without. Its rows are split into packs, which go through the model one after another; the size
of a pack is limited by memory (`loop.py`). The gradient does not depend on the split, because the loss of every pack is
divided by the number of learnt tokens in the whole step.
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

    number: int  # from 0
    epoch: int
    rows: tuple[TokenRow, ...]

    @property
    def tokens(self) -> int:
        return size(self.rows)

    @property
    def learnt(self) -> int:
        return sum(row.learnt for row in self.rows)


def size(rows: Sequence[TokenRow]) -> int:
    """The total number of tokens."""
    return sum(len(row.ids) for row in rows)


def steps(rows: Sequence[TokenRow], epochs: int, batch: int, seed: int) -> list[TrainingStep]:
    """Every step of a training. No row is left out: the last step of an epoch may be smaller."""
    all_steps: list[TrainingStep] = []
    for epoch in range(epochs):
        order = list(rows)
        random.Random(f"epoch:{seed}:{epoch}").shuffle(order)
        for start in range(0, len(order), batch):
            all_steps.append(TrainingStep(len(all_steps), epoch, tuple(order[start : start + batch])))
    return all_steps


def packs(rows: Sequence[TokenRow], max_tokens: int) -> Iterator[Pack]:
    """The rows in packs of at most `max_tokens` tokens, but at least one row each."""
    pack: list[TokenRow] = []
    for row in rows:
        if pack and size(pack) + len(row.ids) > max_tokens:
            yield tuple(pack)
            pack = []
        pack.append(row)
    if pack:
        yield tuple(pack)
